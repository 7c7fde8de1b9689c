package dev.leat.cli.task;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TaskState;
import dev.leat.Touch;
import dev.leat.When;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.console.Output;
import dev.leat.json.TaskJson;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands for the holder of a lease. If the lease is lost, a command changes nothing and exits with 3. */
public final class SettleCommands {
    private SettleCommands() {}

    /** Ends a held task in some way. */
    private abstract static class Settling extends StorageCommand {
        @Parameters(index = "0", paramLabel = "LEASE", description = "The lease that take has printed.")
        private String lease;

        abstract Settle settle(Lease lease) throws IOException;

        final String given() {
            return lease;
        }

        @Override
        protected int run(Leat leat, Output out) throws IOException {
            SettleResult result = leat.settle(settle(Lease.parse(lease)));
            if (out.isJson()) {
                ObjectNode json = JsonNodeFactory.instance
                        .objectNode()
                        .put("result", result.status().name().toLowerCase(Locale.ROOT));
                out.json(result.accepted() ? json.put("state", TaskJson.name(result.state())) : json);
            } else {
                out.line(sentence(result));
            }
            return result.accepted() ? 0 : NOTHING_THERE;
        }

        private static String sentence(SettleResult result) {
            return switch (result.status()) {
                case DONE, PENDING -> "The task is " + TaskJson.name(result.state()) + ".";
                case ALREADY -> "That was done before; the task is " + TaskJson.name(result.state()) + ".";
                case GONE -> "The lease is lost, nothing has changed.";
            };
        }
    }

    @Command(name = "ack", description = "The task is done.", mixinStandardHelpOptions = true)
    public static final class Ack extends Settling {
        @Option(
                names = "--result",
                paramLabel = "RESULT",
                description =
                        "What those who await the task get: itself, @FILE for what is in a file, or - for standard"
                                + " input.")
        private @Nullable String result;

        @Override
        Settle settle(Lease lease) throws IOException {
            return result == null
                    ? Settle.ack(lease)
                    : new Settle.Ack(lease, "", Optional.of(PayloadArgument.read(result, null)));
        }
    }

    @Command(
            name = "fail",
            description = "The task has failed; its queue's policy decides whether it is tried again.",
            mixinStandardHelpOptions = true)
    public static final class Fail extends Settling {
        @Option(names = "--message", paramLabel = "TEXT", defaultValue = "", description = "Why.")
        private String message;

        @Option(names = "--code", paramLabel = "N", defaultValue = "0", description = "A code of your own.")
        private int code;

        @Override
        Settle settle(Lease lease) {
            return new Settle.Fail(lease, message, code);
        }
    }

    @Command(
            name = "retry",
            description = "The task has failed and is to be tried again after --delay.",
            mixinStandardHelpOptions = true)
    public static final class Retry extends Settling {
        @Option(names = "--delay", paramLabel = "TIME", required = true, description = "After how long.")
        private Duration delay;

        @Option(names = "--message", paramLabel = "TEXT", defaultValue = "", description = "Why.")
        private String message;

        @Override
        Settle settle(Lease lease) {
            return Settle.retry(lease, When.in(delay), message);
        }
    }

    @Command(name = "release", description = "Gives the task back without blame.", mixinStandardHelpOptions = true)
    public static final class Release extends Settling {
        @Option(
                names = "--delay",
                paramLabel = "TIME",
                defaultValue = "0",
                description = "After how long it comes again (default: at once).")
        private Duration delay;

        @Override
        Settle settle(Lease lease) {
            return Settle.release(lease, delay);
        }
    }

    /** Buries a task: the holder passes the lease, an operator the id. */
    @Command(
            name = "bury",
            description = "Puts a task aside for a human: one that is held by its LEASE, or any live one by its id.",
            mixinStandardHelpOptions = true)
    public static final class Bury extends Settling {
        @Option(names = "--message", paramLabel = "TEXT", defaultValue = "", description = "Why.")
        private String message;

        @Override
        Settle settle(Lease lease) {
            return Settle.bury(lease, message);
        }

        @Override
        protected int run(Leat leat, Output out) throws IOException {
            if (!given().matches("\\d{1,18}")) {
                return super.run(leat, out);
            }
            TaskState state = leat.bury(Long.parseLong(given()), message);
            if (out.isJson()) {
                out.json(JsonNodeFactory.instance.objectNode().put("state", TaskJson.name(state)));
            } else {
                out.line("The task is " + TaskJson.name(state) + ".");
            }
            return state == TaskState.BURIED ? 0 : NOTHING_THERE;
        }
    }

    @Command(
            name = "chunk",
            description = "Tells those who await a held task that a part of its result is there, and all before it.",
            mixinStandardHelpOptions = true)
    public static final class Chunk extends StorageCommand {
        @Parameters(index = "0", paramLabel = "LEASE", description = "The lease that take has printed.")
        private String lease;

        @Parameters(index = "1", paramLabel = "N", description = "The number of the part, from 1.")
        private int number;

        @Override
        protected int run(Leat leat, Output out) {
            boolean isHeld = leat.outcomes().reportChunk(Lease.parse(lease), number);
            if (out.isJson()) {
                out.json(JsonNodeFactory.instance.objectNode().put("result", isHeld ? "told" : "gone"));
            } else {
                out.line(isHeld ? "Part " + number + " is there." : "The lease is lost, nothing has changed.");
            }
            return isHeld ? 0 : NOTHING_THERE;
        }
    }

    @Command(name = "touch", description = "Asks for more time for a held task.", mixinStandardHelpOptions = true)
    public static final class TouchCommand extends StorageCommand {
        @Parameters(index = "0", paramLabel = "LEASE", description = "The lease that take has printed.")
        private String lease;

        @Parameters(index = "1", paramLabel = "TIME", description = "How much more, such as 30s.")
        private Duration by;

        @Override
        protected int run(Leat leat, Output out) {
            Touch.Result result = leat.touch(Lease.parse(lease), by);
            @Nullable String until = result.leaseUntil().map(TaskRows::time).orElse(null);
            if (out.isJson()) {
                ObjectNode json = JsonNodeFactory.instance
                        .objectNode()
                        .put("result", result.status().name().toLowerCase(Locale.ROOT));
                out.json(until == null ? json : json.put("leaseUntil", until));
            } else {
                out.line(
                        switch (result.status()) {
                            case EXTENDED -> "Held until " + until + ".";
                            case UNLIMITED -> "Held, and has no time limit.";
                            case GONE -> "The lease is lost, nothing has changed.";
                        });
            }
            return result.status() == Touch.Result.Status.GONE ? NOTHING_THERE : 0;
        }
    }
}
