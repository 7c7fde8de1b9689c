package dev.leat.storagetests.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Attempt;
import dev.leat.GroupInfo;
import dev.leat.Lease;
import dev.leat.Outcome;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.error.LeatException;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import dev.leat.storagetests.StorageFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs one sequence of operations on a storage and on the model, and compares both after each step. */
final class Trial {
    static final List<String> ADDRESSES = List.of("home", "work");

    private static final int MOST_ROUNDS = 30;
    private static final TaskQuery EVERYTHING =
            TaskQuery.live().states(EnumSet.allOf(TaskState.class)).limit(TaskQuery.MAX_LIMIT);
    private static final TaskQuery UNBURIED =
            EVERYTHING.states(EnumSet.complementOf(EnumSet.range(TaskState.BURIED, TaskState.CANCELED)));

    final Storage storage;
    final ReferenceModel model;
    /** Every lease that was ever given, oldest first. */
    final List<Lease> leases = new ArrayList<>();

    /** The ids that puts have made. */
    final List<Long> put = new ArrayList<>();

    private final StorageFixture fixture;
    private final List<Operation> operations;

    /** The queues and the operations of the sequence. */
    record Script(List<QueueOptions> queues, List<Operation> operations) {}

    Trial(StorageFixture fixture, Script script) {
        this.fixture = fixture;
        this.operations = script.operations;
        this.storage = fixture.storage();
        this.model = new ReferenceModel(storage.now());
        for (QueueOptions options : script.queues) {
            String name = "queue" + model.queues.size();
            storage.queues().create(name, options);
            model.queues.put(name, new ModelQueue(options));
        }
    }

    /** Does one operation after the other, as far as the rules say what happens; then works everything off. */
    void run() {
        int done = 0;
        try {
            while (done < operations.size() && !model.isUndecided()) {
                operations.get(done++).on(this);
                sweep(Sweep.Sessions.END_SILENT);
                if (!model.isUndecided()) {
                    compare();
                }
            }
            drain();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(report(e, operations.subList(0, done)), e);
        }
    }

    private static String report(Throwable difference, List<Operation> done) {
        String steps = done.stream().map(o -> "\n  " + o).collect(Collectors.joining());
        return "Storage and model differ: " + difference.getMessage() + "\nafter" + steps;
    }

    /** Works everything off, as a patient consumer would; only what is buried stays. */
    private void drain() {
        String session = storage.sessions().open(SessionSpec.named("drain"));
        model.queues.keySet().forEach(storage.queues()::resume);
        for (ModelGroup group : model.groups) {
            if (storage.groups().find(group.id).orElseThrow().state() == GroupInfo.State.OPEN) {
                storage.groups().start(group.id);
            }
        }
        for (int round = 0; round < MOST_ROUNDS && !storage.list(UNBURIED).isEmpty(); round++) {
            fixture.advance(Duration.ofSeconds(70));
            storage.sessions().heartbeat(session, Map.of());
            storage.sweep(Sweep.everything());
            for (String queue : model.queues.keySet()) {
                List<TakenTask> taken =
                        storage.take(TakeRequest.from(queue).count(1000).session(session));
                storage.settle(
                        taken.stream().<Settle>map(t -> Settle.ack(t.lease())).toList());
            }
        }
        assertThat(storage.list(UNBURIED)).as("never ends").isEmpty();
        checkNothingIsLostOrInvented();
    }

    private void checkNothingIsLostOrInvented() {
        List<Task> tasks = storage.list(EVERYTHING);
        Set<Long> closing = model.groups.stream()
                .flatMapToLong(g -> storage.groups().find(g.id).orElseThrow().closingTask().stream())
                .boxed()
                .collect(Collectors.toSet());
        assertThat(tasks.stream()
                        .filter(t -> t.deadOf().isEmpty())
                        .map(Task::id)
                        .filter(id -> !closing.contains(id)))
                .as("what was put")
                .containsExactlyElementsOf(put);
        long counted = storage.queues().stats().stream()
                .flatMap(s -> s.counts().values().stream())
                .mapToLong(n -> n)
                .sum();
        assertThat(counted).as("all counts").isEqualTo(tasks.size());
    }

    // For operations

    List<String> allSessions() {
        return List.copyOf(model.sessions.keySet());
    }

    List<String> liveSessions() {
        return allSessions().stream().filter(id -> !model.session(id).ended).toList();
    }

    List<ModelGroup> groupsNotEnded() {
        return model.groups.stream().filter(g -> !g.state.isEnded()).toList();
    }

    void advance(Duration by) {
        fixture.advance(by);
        model.advance(by);
    }

    /** A sweep is allowed at any moment, so both sides sweep after every change. */
    void sweep(Sweep.Sessions silent) {
        model.sweep(silent);
        Optional<Instant> next =
                storage.sweep(new Sweep(silent, Integer.MAX_VALUE)).nextIn().map(model.now()::plus);
        if (silent == Sweep.Sessions.END_SILENT && !model.isUndecided()) {
            model.nextMoment()
                    .ifPresent(moment -> assertThat(next).as("the next sweep").hasValueSatisfying(n -> assertThat(n)
                            .isBeforeOrEqualTo(moment)));
        }
    }

    /** Makes the same call to both. Either both refuse the call, or {@code agree} compares their answers. */
    <S, M> void both(Supplier<S> onStorage, Supplier<M> onModel, BiConsumer<S, M> agree) {
        Set<Class<? extends LeatException>> reasons = Set.of();
        M expected = null;
        try {
            expected = onModel.get();
        } catch (Refused e) {
            reasons = e.reasons();
        }
        try {
            S answer = onStorage.get();
            assertThat(reasons).as("reasons to refuse what was accepted").isEmpty();
            agree.accept(answer, Objects.requireNonNull(expected));
        } catch (LeatException e) {
            assertThat(reasons).as("reasons to refuse").contains(e.getClass());
        }
    }

    /** Does the same to both where no answer is worth comparing. */
    void both(Runnable onStorage, Runnable onModel) {
        both(() -> answering(onStorage), () -> answering(onModel), (real, ideal) -> {});
    }

    private static Boolean answering(Runnable call) {
        call.run();
        return true;
    }

    // Comparing

    private void compare() {
        nameNewRows();
        List<Task> tasks = storage.list(EVERYTHING);
        compareTasks(tasks);
        compareStats();
        for (ModelGroup group : model.groups) {
            assertThat(storage.groups().find(group.id)).as("group").contains(model.info(group));
        }
        checkNobodySharesAKeyOrAnAddress(tasks);
    }

    /** Dead runs and closing tasks are made by the storage itself: here the model learns their ids. */
    private void nameNewRows() {
        for (Row row : model.rows) {
            if (row.id == 0) {
                row.id = row.given.deadOf().isPresent()
                        ? deadRunOf(row.given.deadOf().getAsLong())
                        : closingTask(row);
            }
        }
    }

    private long deadRunOf(long id) {
        return storage.list(EVERYTHING).stream()
                .filter(t -> t.deadOf().equals(OptionalLong.of(id)))
                .mapToLong(Task::id)
                .findFirst()
                .orElseThrow(() -> new AssertionError("task " + id + " is exhausted but has no dead run"));
    }

    private long closingTask(Row row) {
        ModelGroup group =
                model.groups.stream().filter(g -> g.closing == row).findFirst().orElseThrow();
        return storage.groups()
                .find(group.id)
                .orElseThrow()
                .closingTask()
                .orElseThrow(() -> new AssertionError("group " + group.id + " has ended without its closing task"));
    }

    private void compareTasks(List<Task> tasks) {
        Map<Long, Task> real = tasks.stream().collect(Collectors.toMap(Task::id, Function.identity()));
        assertThat(real.keySet())
                .as("all tasks")
                .containsExactlyInAnyOrderElementsOf(
                        model.rows.stream().map(r -> r.id).toList());
        for (Row row : model.rows) {
            Map<String, Object> seen =
                    fields(Optional.ofNullable(real.get(row.id)).orElseThrow());
            Map<String, Object> expected = fields(row.task());
            if (row.message.equals(ModelRows.ANY_WORDS)) {
                expected.replace("message", seen.get("message"));
            }
            if (row.errorCode == ModelRows.ANY_CODE) {
                expected.replace("errorCode", seen.get("errorCode"));
            }
            assertSame("task " + row.id, seen, expected);
            assertThat(storage.outcome(row.id).map(Outcome::state))
                    .as("outcome of task " + row.id)
                    .isEqualTo(row.isUnburied() ? Optional.empty() : Optional.of(row.state));
            assertThat(storage.attempts(row.id).stream().map(Trial::outline))
                    .as("attempts of task " + row.id)
                    .isEqualTo(row.history.stream().map(Trial::outline).toList());
        }
    }

    /** Names only what differs, since a task has many fields. */
    private static void assertSame(String what, Map<String, Object> seen, Map<String, Object> expected) {
        if (!seen.equals(expected)) {
            String differences = seen.keySet().stream()
                    .filter(field -> !Objects.equals(seen.get(field), expected.get(field)))
                    .map(field -> field + " is " + seen.get(field) + " but should be " + expected.get(field))
                    .collect(Collectors.joining(", "));
            throw new AssertionError(what + ": " + differences);
        }
    }

    private static Map<String, Object> fields(Task task) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("queue", task.queue());
        fields.put("state", task.state());
        fields.put("payload", task.payload());
        fields.put("priority", task.priority());
        fields.put("created", task.created());
        fields.put("due", task.due());
        fields.put("previousDue", task.previousDue());
        fields.put("expires", task.expires());
        fields.put("ttr", task.ttr());
        fields.put("key", task.key());
        fields.put("address", task.address());
        fields.put("group", task.group());
        fields.put("type", task.type());
        fields.put("tags", task.tags());
        fields.put("deadOf", task.deadOf());
        fields.put("attempts", task.attempts());
        fields.put("failures", task.failures());
        fields.put("losses", task.losses());
        fields.put("releases", task.releases());
        fields.put("cancelRequested", task.cancelRequested());
        fields.put("message", task.message().orElse(""));
        fields.put("errorCode", task.errorCode());
        fields.put("finished", task.finished());
        return fields;
    }

    private static String outline(Attempt attempt) {
        return attempt.number() + " " + attempt.outcome() + " " + attempt.started() + " - " + attempt.ended() + " "
                + attempt.session().orElse("without session");
    }

    private void compareStats() {
        for (String queue : model.queues.keySet()) {
            Map<TaskState, Long> counts = new EnumMap<>(TaskState.class);
            for (TaskState state : TaskState.values()) {
                counts.put(
                        state,
                        model.rowsIn(state).stream()
                                .filter(r -> r.given.queue().equals(queue))
                                .count());
            }
            assertThat(storage.queues().stats(queue).counts())
                    .as("stats of " + queue)
                    .isEqualTo(counts);
            for (String address : ADDRESSES) {
                OptionalLong holder = model.holder(queue, address).stream()
                        .mapToLong(r -> r.id)
                        .findFirst();
                assertThat(storage.findAddress(queue, address))
                        .as("who is " + address)
                        .isEqualTo(holder);
            }
        }
    }

    /** The two promises that matter most, asked of the storage alone. */
    private static void checkNobodySharesAKeyOrAnAddress(List<Task> tasks) {
        Stream<String> runningKeys = tasks.stream()
                .filter(t -> t.state() == TaskState.TAKEN)
                .flatMap(t -> t.key().map(key -> t.queue() + " " + key).stream());
        assertThat(runningKeys).as("keys that run").doesNotHaveDuplicates();
        Stream<String> addresses = tasks.stream()
                .filter(t -> t.state().isLive() && t.state() != TaskState.BURIED)
                .flatMap(t -> t.address().map(address -> t.queue() + " " + address).stream());
        assertThat(addresses).as("addresses in use").doesNotHaveDuplicates();
    }
}
