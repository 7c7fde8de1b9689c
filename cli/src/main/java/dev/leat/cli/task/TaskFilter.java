package dev.leat.cli.task;

import dev.leat.TaskQuery;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which tasks are meant. */
final class TaskFilter {
    @Option(names = "--type", paramLabel = "TYPE", description = "Only of this type; may be repeated.")
    private @Nullable Set<String> types;

    @Option(names = "--tenant", paramLabel = "TENANT", description = "Only of this tenant.")
    private @Nullable String tenant;

    @Option(names = "--key", paramLabel = "KEY", description = "Only with this key.")
    private @Nullable String key;

    @Option(names = "--subscriber", paramLabel = "ID", description = "Only for this subscription.")
    private @Nullable String subscriber;

    @Option(names = "--message", paramLabel = "TEXT", description = "Only with this in their message.")
    private @Nullable String message;

    boolean isAnythingSaid() {
        return types != null || Stream.of(tenant, key, subscriber, message).anyMatch(Objects::nonNull);
    }

    TaskQuery apply(TaskQuery all, @Nullable String queue) {
        TaskQuery query = queue == null ? all : all.queue(queue);
        query = types == null ? query : query.types(types);
        query = tenant == null ? query : query.tenant(tenant);
        query = key == null ? query : query.key(key);
        query = subscriber == null ? query : query.subscriber(subscriber);
        return message == null ? query : query.message(message);
    }
}
