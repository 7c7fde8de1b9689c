package dev.leat.server.internal.events;

import dev.leat.Queue;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import dev.leat.server.internal.access.Grant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The task changes that a listener wants. An empty set passes every value.
 *
 * @param grant the queues that the listener is allowed to see
 * @param queues the tasks' queues
 * @param states the tasks' states after the change
 * @param kinds the kinds of change
 */
public record EventFilter(Grant grant, Set<String> queues, Set<TaskState> states, Set<TaskEvent.Kind> kinds)
        implements Predicate<TaskEvent> {
    private static final List<TaskState> STATES = List.of(TaskState.values());
    private static final List<TaskEvent.Kind> KINDS = Arrays.stream(TaskEvent.Kind.values())
            .filter(kind -> kind != TaskEvent.Kind.UNCHANGED)
            .toList();

    /** Reads lists of names, separated by commas; a missing list passes every value. */
    public static EventFilter of(
            Grant grant, Optional<String> queues, Optional<String> states, Optional<String> kinds) {
        return new EventFilter(
                grant,
                set(queues, Queue::checkName),
                set(states, name -> oneOf("state", STATES, name)),
                set(kinds, name -> oneOf("kind", KINDS, name)));
    }

    private static <T> Set<T> set(Optional<String> names, Function<String, T> read) {
        Set<T> values = new HashSet<>();
        names.ifPresent(text -> Arrays.stream(text.split(",", -1)).map(read).forEach(values::add));
        return Set.copyOf(values);
    }

    private static <E extends Enum<E>> E oneOf(String field, List<E> values, String name) {
        return values.stream()
                .filter(value -> name(value).equals(name))
                .findFirst()
                .orElseThrow(() -> new InvalidRequestException(
                        field,
                        "must be of " + values.stream().map(EventFilter::name).toList() + ", was '" + name + "'"));
    }

    public static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public boolean test(TaskEvent event) {
        return grant.isFor(event.queue())
                && lets(queues, event.queue())
                && lets(states, event.state())
                && lets(kinds, event.kind());
    }

    private static <T> boolean lets(Set<T> wanted, T value) {
        return wanted.isEmpty() || wanted.contains(value);
    }
}
