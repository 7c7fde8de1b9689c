package dev.leat.cli.queue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.Leat;
import dev.leat.TaskState;
import dev.leat.cli.command.Consent;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.console.Converters;
import dev.leat.cli.console.Output;
import dev.leat.cli.console.PlainFields;
import dev.leat.error.QueueNotFoundException;
import dev.leat.json.DurationText;
import dev.leat.json.QueueJson;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.queue.RetryPolicy;
import dev.leat.storage.StorageSettings;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leat queue}: makes queues, shows and stops them. */
@Command(
        name = "queue",
        description = "Makes queues, shows them, stops them.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            QueueCommand.Create.class,
            QueueCommand.ListQueues.class,
            QueueCommand.Show.class,
            QueueCommand.Pause.class,
            QueueCommand.Resume.class,
            QueueCommand.ReleaseAll.class,
            QueueCommand.Truncate.class,
            QueueCommand.Drop.class
        })
public final class QueueCommand {

    @Command(
            name = "create",
            description = "Makes a queue. What an operator says here, no program's declare changes.",
            mixinStandardHelpOptions = true)
    static final class Create extends StorageCommand {
        @Parameters(paramLabel = "QUEUE", description = "1 to 128 letters, digits and _ - . :")
        private String queue;

        @Option(names = "--priority", paramLabel = "N", description = "Of tasks that name none (default: 0).")
        private @Nullable Integer priority;

        @Option(
                names = "--ttl",
                paramLabel = "TIME",
                description = "After how long tasks expire that nobody has taken (default: never).")
        private @Nullable Duration ttl;

        @Option(
                names = "--ttr",
                paramLabel = "TIME",
                description = "How long one run of a task may take (default: unlimited).")
        private @Nullable Duration ttr;

        @Option(
                names = "--capacity",
                paramLabel = "N",
                description = "How many live tasks it takes (default: any number).")
        private @Nullable Integer capacity;

        @Option(names = "--type-filter", description = "Lets 'leat take --type' choose tasks by their type.")
        private boolean typeFilter;

        @Option(
                names = "--tenants-in-turn",
                description = "Takes first from the tenant that has the fewest tasks running.")
        private boolean tenantsInTurn;

        @Option(
                names = "--tenant-limit",
                paramLabel = "N",
                description = "How many tasks of one tenant may be taken at once (default: any number).")
        private @Nullable Integer tenantLimit;

        @Option(names = "--max-failures", paramLabel = "N", description = "How often a task may fail (default: 10).")
        private @Nullable Integer maxFailures;

        @Option(
                names = "--max-losses",
                paramLabel = "N",
                description = "How often a task may lose its worker (default: 10).")
        private @Nullable Integer maxLosses;

        @Option(
                names = "--exhausted",
                paramLabel = "WHAT",
                description =
                        "What becomes of a task that has failed too often: ${COMPLETION-CANDIDATES} (default: bury).")
        private @Nullable Exhaustion exhausted;

        @Option(
                names = "--keep",
                paramLabel = "TIME",
                description = "How long finished tasks are kept (default: 1d; 0 forgets them at once).")
        private @Nullable Duration keep;

        @Option(
                names = "--keep-state",
                paramLabel = "STATE=TIME",
                converter = {StateConverter.class, Converters.OfDuration.class},
                description =
                        "How long tasks that ended in one state are kept: done, failed, expired or canceled. May be said for each of them.")
        private Map<TaskState, Duration> keepStates = new EnumMap<>(TaskState.class);

        @Override
        public StorageSettings.IfMissing ifMissing() {
            return StorageSettings.IfMissing.CREATE;
        }

        @Override
        protected int run(Leat leat, Output out) {
            leat.queue(queue).create(options());
            QueueInfo info = leat.queue(queue).configure(options());
            show(info, out);
            return 0;
        }

        private QueueOptions options() {
            QueueOptions.Builder options = QueueOptions.builder();
            RetryPolicy retry = RetryPolicy.standard();
            if (priority != null) {
                options.priority(priority);
            }
            if (ttl != null) {
                options.ttl(ttl);
            }
            if (ttr != null) {
                options.ttr(ttr);
            }
            if (capacity != null) {
                options.capacity(capacity);
            }
            if (typeFilter) {
                options.typeFilter(QueueOptions.TypeFilter.ON);
            }
            if (tenantsInTurn) {
                options.tenants(QueueOptions.Tenants.IN_TURN);
            }
            if (tenantLimit != null) {
                options.tenantLimit(tenantLimit);
            }
            if (maxFailures != null) {
                retry = retry.maxFailures(maxFailures);
            }
            if (maxLosses != null) {
                retry = retry.maxLosses(maxLosses);
            }
            if (exhausted != null) {
                options.exhaustion(exhausted);
            }
            Retention retention = keep == null ? Retention.standard() : Retention.all(keep);
            for (Map.Entry<TaskState, Duration> state : keepStates.entrySet()) {
                retention = retention.keep(state.getKey(), state.getValue());
            }
            options.retention(retention);
            return options.retry(retry).build();
        }
    }

    /** The name of a finished state. */
    static final class StateConverter implements CommandLine.ITypeConverter<TaskState> {
        @Override
        public TaskState convert(String name) {
            return TaskState.finished().stream()
                    .filter(state -> state.name().equalsIgnoreCase(name))
                    .findFirst()
                    .orElseThrow(() -> new CommandLine.TypeConversionException(
                            "must be of " + TaskState.finished() + ", was '" + name + "'"));
        }
    }

    @Command(name = "list", description = "Lists the queues.", mixinStandardHelpOptions = true)
    static final class ListQueues extends StorageCommand {
        @Override
        protected int run(Leat leat, Output out) {
            List<QueueInfo> queues = leat.queues();
            if (out.isJson()) {
                out.json(queues.stream().map(QueueJson::of).toList());
            } else {
                out.table(
                        List.of("QUEUE", "PAUSED", "SET BY", "TTL", "TTR", "CAPACITY", "FAILURES", "EXHAUSTED"),
                        queues.stream().map(QueueCommand::row).toList());
            }
            return 0;
        }
    }

    @Command(name = "show", description = "Shows a queue and its options.", mixinStandardHelpOptions = true)
    static final class Show extends StorageCommand {
        @Parameters(paramLabel = "QUEUE", description = "The queue.")
        private String queue;

        @Override
        protected int run(Leat leat, Output out) {
            show(leat.queue(queue).info().orElseThrow(() -> new QueueNotFoundException(queue)), out);
            return 0;
        }
    }

    @Command(
            name = "pause",
            description = "Lets nobody take from a queue; what runs goes on.",
            mixinStandardHelpOptions = true)
    static final class Pause extends StorageCommand {
        @Parameters(paramLabel = "QUEUE", description = "The queue.")
        private String queue;

        @Override
        protected int run(Leat leat, Output out) {
            leat.queue(queue).pause();
            return said(out, "paused", true, queue + " is paused.");
        }
    }

    @Command(name = "resume", description = "Ends a pause.", mixinStandardHelpOptions = true)
    static final class Resume extends StorageCommand {
        @Parameters(paramLabel = "QUEUE", description = "The queue.")
        private String queue;

        @Override
        protected int run(Leat leat, Output out) {
            leat.queue(queue).resume();
            return said(out, "paused", false, queue + " goes on.");
        }
    }

    @Command(
            name = "release-all",
            description = "Takes every lease of a queue away, without blame: all that runs comes again.",
            mixinStandardHelpOptions = true)
    static final class ReleaseAll extends StorageCommand {
        @Mixin
        private Consent consent;

        @Parameters(paramLabel = "QUEUE", description = "The queue.")
        private String queue;

        @Override
        protected int run(Leat leat, Output out) {
            consent.ask(this, "Take all leases of " + queue + " away?");
            return counted(out, "released", leat.queue(queue).releaseAll());
        }
    }

    @Command(
            name = "truncate",
            description = "Ends every live task of a queue, also those that run.",
            mixinStandardHelpOptions = true)
    static final class Truncate extends StorageCommand {
        @Mixin
        private Consent consent;

        @Parameters(paramLabel = "QUEUE", description = "The queue.")
        private String queue;

        @Override
        protected int run(Leat leat, Output out) {
            consent.ask(this, "Delete all " + leat.queue(queue).stats().live() + " live tasks of " + queue + "?");
            return counted(out, "deleted", leat.queue(queue).truncate());
        }
    }

    @Command(
            name = "drop",
            description = "Removes a queue with all its tasks; not while some run or somebody waits for them.",
            mixinStandardHelpOptions = true)
    static final class Drop extends StorageCommand {
        @Mixin
        private Consent consent;

        @Parameters(paramLabel = "QUEUE", description = "The queue.")
        private String queue;

        @Override
        protected int run(Leat leat, Output out) {
            consent.ask(
                    this,
                    "Remove " + queue + " and its " + leat.queue(queue).stats().live() + " live tasks?");
            leat.queue(queue).drop();
            return said(out, "dropped", true, queue + " is gone.");
        }
    }

    private static int said(Output out, String field, boolean value, String sentence) {
        if (out.isJson()) {
            out.json(JsonNodeFactory.instance.objectNode().put(field, value));
        } else {
            out.line(sentence);
        }
        return 0;
    }

    private static int counted(Output out, String verb, long count) {
        if (out.isJson()) {
            out.json(JsonNodeFactory.instance.objectNode().put(verb, count));
        } else {
            out.line(String.format(Locale.ROOT, "%,d %s", count, verb));
        }
        return 0;
    }

    private static void show(QueueInfo info, Output out) {
        if (out.isJson()) {
            out.json(QueueJson.of(info));
            return;
        }
        out.line(info.name() + (info.paused() ? ", paused" : "") + ", set by " + name(info.setBy()));
        PlainFields.print(out, "  %-12s %s", QueueJson.of(info.options()));
    }

    private static List<String> row(QueueInfo info) {
        QueueOptions options = info.options();
        return List.of(
                info.name(),
                info.paused() ? "yes" : "",
                name(info.setBy()),
                options.ttl().map(DurationText::format).orElse(""),
                options.ttr().map(DurationText::format).orElse(""),
                options.capacity() == 0 ? "" : String.valueOf(options.capacity()),
                String.valueOf(options.retry().maxFailures()),
                name(options.exhaustion()));
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
