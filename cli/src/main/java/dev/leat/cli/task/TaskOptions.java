package dev.leat.cli.task;

import dev.leat.NewTask;
import dev.leat.Payload;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a task on the command line. */
public final class TaskOptions {
    @Option(names = "--content-type", paramLabel = "TYPE", description = "What the payload is, such as image/png.")
    private @Nullable String contentType;

    @Option(names = "--priority", paramLabel = "N", description = "Lower runs first (default: the queue's).")
    private @Nullable Integer priority;

    @Option(names = "--delay", paramLabel = "TIME", description = "How long it is to wait, such as 90s or 2h.")
    private @Nullable Duration delay;

    @Option(names = "--ttl", paramLabel = "TIME", description = "After how long it expires if nobody has taken it.")
    private @Nullable Duration ttl;

    @Option(names = "--ttr", paramLabel = "TIME", description = "How long one run may take.")
    private @Nullable Duration ttr;

    @Option(names = "--key", paramLabel = "KEY", description = "Tasks with the same key never run at the same time.")
    private @Nullable String key;

    @Option(
            names = "--address",
            paramLabel = "NAME",
            description = "A name that no other live task of the queue has; if one has it, nothing is put.")
    private @Nullable String address;

    @Option(names = "--type", paramLabel = "TYPE", description = "The type of the task, by which handlers are chosen.")
    private @Nullable String type;

    @Option(names = "--tenant", paramLabel = "TENANT", description = "Whose task it is.")
    private @Nullable String tenant;

    @Option(names = "--business-group", paramLabel = "GROUP", description = "Which part of the tenant it belongs to.")
    private @Nullable String businessGroup;

    @Option(names = "--origin", paramLabel = "SYSTEM", description = "Which system puts it.")
    private @Nullable String origin;

    @Option(names = "--destination", paramLabel = "SYSTEM", description = "Which system it is for.")
    private @Nullable String destination;

    @Option(
            names = "--external-key",
            paramLabel = "NAME",
            description = "The name of the thing that it is about, in the system that puts it.")
    private @Nullable String externalKey;

    @Option(
            names = "--publish",
            description =
                    "Publishes it: every subscription of the topic QUEUE gets a task of its own, once a worker has taken this one.")
    private boolean isPublication;

    boolean isAnythingSaid() {
        return isPublication
                || Stream.of(contentType, priority, delay, ttl, ttr, key, address, type, tenant)
                        .anyMatch(Objects::nonNull)
                || Stream.of(businessGroup, origin, destination, externalKey).anyMatch(Objects::nonNull);
    }

    /** The task for {@code queue} with all given options. */
    public NewTask.Builder describe(String queue, @Nullable String payload) throws IOException {
        NewTask.Builder task = NewTask.to(queue)
                .payload(payload == null ? Payload.empty() : PayloadArgument.read(payload, contentType));
        if (priority != null) {
            task.priority(priority);
        }
        if (delay != null) {
            task.delay(delay);
        }
        if (ttl != null) {
            task.ttl(ttl);
        }
        if (ttr != null) {
            task.ttr(ttr);
        }
        if (key != null) {
            task.key(key);
        }
        if (address != null) {
            task.address(address);
        }
        if (type != null) {
            task.type(type);
        }
        if (tenant != null) {
            task.tenant(tenant);
        }
        if (businessGroup != null) {
            task.businessGroup(businessGroup);
        }
        if (origin != null) {
            task.origin(origin);
        }
        if (destination != null) {
            task.destination(destination);
        }
        if (externalKey != null) {
            task.externalKey(externalKey);
        }
        if (isPublication) {
            task.publication();
        }
        return task;
    }
}
