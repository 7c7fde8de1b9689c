package dev.leat.cli.queue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.Leat;
import dev.leat.cli.command.Consent;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.console.IsoDurations;
import dev.leat.cli.console.Output;
import dev.leat.cli.task.PutCommand;
import dev.leat.cli.task.TaskOptions;
import dev.leat.cli.task.TaskRows;
import dev.leat.error.ScheduleNotFoundException;
import dev.leat.json.DurationText;
import dev.leat.json.ScheduleJson;
import dev.leat.schedule.Cadence;
import dev.leat.schedule.Cron;
import dev.leat.schedule.FixedRate;
import dev.leat.schedule.MissedRuns;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import dev.leat.storage.StorageSettings;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leat schedule}: tasks that are put at fixed times. */
@Command(
        name = "schedule",
        description = "Says what is put again and again; every process that has the storage open puts it.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ScheduleCommand.Put.class,
            ScheduleCommand.ListSchedules.class,
            ScheduleCommand.Show.class,
            ScheduleCommand.Next.class,
            ScheduleCommand.Pause.class,
            ScheduleCommand.Resume.class,
            ScheduleCommand.Trigger.class,
            ScheduleCommand.Drop.class
        })
public final class ScheduleCommand {
    @Command(
            name = "put",
            aliases = "create",
            description = {
                "Makes a schedule, or changes all of it; its times go on unless they change.",
                "Say --cron or --every. A payload is read as 'leat put' reads it."
            },
            mixinStandardHelpOptions = true)
    static final class Put extends StorageCommand {
        @Parameters(index = "0", paramLabel = "NAME", description = "A name of its own among all schedules.")
        private String name;

        @Parameters(index = "1", paramLabel = "QUEUE", description = "The queue; made if it is missing.")
        private String queue;

        @Parameters(
                index = "2",
                arity = "0..1",
                paramLabel = "PAYLOAD",
                description =
                        "The payload itself, @FILE for what is in a file, or - for standard input (default: none).")
        private @Nullable String payload;

        @Mixin
        private TaskOptions task;

        @Option(
                names = "--cron",
                paramLabel = "FIELDS",
                description =
                        "Minute, hour, day of month, month, day of week: '30 2 * * MON-FRI'. Or @daily and the like.")
        private @Nullable String cron;

        @Option(
                names = "--zone",
                paramLabel = "ZONE",
                description = "By whose clocks, such as Europe/Berlin (default: UTC).")
        private @Nullable String zone;

        @Option(names = "--every", paramLabel = "TIME", description = "The time between two runs, such as 90s.")
        private @Nullable Duration every;

        @Option(
                names = "--start",
                paramLabel = "TIME",
                description =
                        "When the first run of --every is, such as 2026-01-31T12:00:00Z (default: after that time).")
        private @Nullable Instant start;

        @Option(
                names = "--skip-late",
                paramLabel = "TIME",
                description = "Puts nothing for a run that is later than this.")
        private @Nullable Duration skipLate;

        @Option(
                names = "--catch-up",
                paramLabel = "N",
                description = "Puts all runs that were missed, up to the latest N (default: one for all of them).")
        private @Nullable Integer catchUp;

        @Option(names = "--no-overlap", description = "Puts nothing while the task before has not ended.")
        private boolean isAlone;

        @Override
        public StorageSettings.IfMissing ifMissing() {
            return StorageSettings.IfMissing.CREATE;
        }

        @Override
        protected int run(Leat leat, Output out) throws IOException {
            Schedule schedule =
                    Schedule.of(name, cadence(), task.describe(queue, payload).build());
            schedule = isAlone ? schedule.noOverlap() : schedule;
            return show(leat.schedules().configure(schedule.missed(missed())), out);
        }

        private Cadence cadence() {
            if ((cron == null) == (every == null)) {
                throw wrong("Say either --cron or --every");
            }
            if (cron != null) {
                if (start != null) {
                    throw wrong("--start is for --every");
                }
                return zone == null ? Cron.of(cron) : Cron.of(cron, ScheduleJson.zone(zone));
            }
            if (zone != null) {
                throw wrong("--zone is for --cron");
            }
            FixedRate rate = FixedRate.of(every);
            return start == null ? rate : rate.startingAt(start);
        }

        private MissedRuns missed() {
            if (skipLate != null && catchUp != null) {
                throw wrong("Say either --skip-late or --catch-up");
            }
            if (skipLate != null) {
                return MissedRuns.skip(skipLate);
            }
            return catchUp != null ? MissedRuns.catchUp(catchUp) : MissedRuns.runOnce();
        }
    }

    @Command(name = "list", description = "Lists the schedules.", mixinStandardHelpOptions = true)
    static final class ListSchedules extends StorageCommand {
        private static final List<String> HEADING =
                List.of("SCHEDULE", "QUEUE", "TENANT", "RUNS", "NEXT", "LAST", "TASK", "SKIPPED");

        @Option(names = "--tenant", paramLabel = "TENANT", description = "Only those of this tenant.")
        private @Nullable String tenant;

        @Option(names = "--queue", paramLabel = "QUEUE", description = "Only those that put into this queue.")
        private @Nullable String queue;

        @Override
        protected int run(Leat leat, Output out) {
            ScheduleQuery query = ScheduleQuery.all().limit(ScheduleQuery.MAX_LIMIT);
            query = tenant == null ? query : query.tenant(tenant);
            query = queue == null ? query : query.queue(queue);
            List<ScheduleInfo> all = new ArrayList<>();
            List<ScheduleInfo> page = leat.schedules().list(query);
            while (!page.isEmpty()) {
                all.addAll(page);
                page = leat.schedules()
                        .list(query.after(page.get(page.size() - 1).name()));
            }
            if (out.isJson()) {
                out.json(all.stream().map(ScheduleJson::of).toList());
            } else {
                out.table(HEADING, all.stream().map(ScheduleCommand::row).toList());
            }
            return 0;
        }
    }

    /** Commands for one schedule. */
    abstract static class OfOne extends StorageCommand {
        @Parameters(paramLabel = "NAME", description = "The schedule.")
        private String name;

        final String schedule() {
            return name;
        }
    }

    @Command(name = "show", description = "Shows a schedule.", mixinStandardHelpOptions = true)
    static final class Show extends OfOne {
        @Override
        protected int run(Leat leat, Output out) {
            return show(
                    leat.schedules().find(schedule()).orElseThrow(() -> new ScheduleNotFoundException(schedule())),
                    out);
        }
    }

    @Command(name = "next", description = "Says when a schedule runs next.", mixinStandardHelpOptions = true)
    static final class Next extends OfOne {
        @Option(names = "--count", paramLabel = "N", description = "How many times (default: ${DEFAULT-VALUE}).")
        private int count = 5;

        @Override
        protected int run(Leat leat, Output out) {
            List<Instant> runs = leat.schedules().next(schedule(), count);
            if (out.isJson()) {
                ArrayNode json = JsonNodeFactory.instance.arrayNode();
                runs.forEach(run -> json.add(run.toString()));
                out.json(json);
            } else {
                runs.forEach(run -> out.line(run.toString()));
            }
            return 0;
        }
    }

    @Command(name = "pause", description = "Puts nothing until it is resumed.", mixinStandardHelpOptions = true)
    static final class Pause extends OfOne {
        @Override
        protected int run(Leat leat, Output out) {
            return show(leat.schedules().pause(schedule()), out);
        }
    }

    @Command(name = "resume", description = "Goes on with the next of its times.", mixinStandardHelpOptions = true)
    static final class Resume extends OfOne {
        @Override
        protected int run(Leat leat, Output out) {
            return show(leat.schedules().resume(schedule()), out);
        }
    }

    @Command(
            name = "trigger",
            description = "Puts its task once more, now; prints its id.",
            mixinStandardHelpOptions = true)
    static final class Trigger extends OfOne {
        @Override
        protected int run(Leat leat, Output out) {
            PutCommand.print(List.of(leat.schedules().trigger(schedule())), out);
            return 0;
        }
    }

    @Command(name = "drop", description = "Forgets a schedule; what it has put stays.", mixinStandardHelpOptions = true)
    static final class Drop extends OfOne {
        @Mixin
        private Consent consent;

        @Override
        protected int run(Leat leat, Output out) {
            consent.ask(this, "Forget " + schedule() + "?");
            if (!leat.schedules().drop(schedule())) {
                throw new ScheduleNotFoundException(schedule());
            }
            if (out.isJson()) {
                out.json(JsonNodeFactory.instance.objectNode().put("dropped", true));
            } else {
                out.line(schedule() + " is gone.");
            }
            return 0;
        }
    }

    private static int show(ScheduleInfo info, Output out) {
        if (out.isJson()) {
            out.json(ScheduleJson.of(info));
        } else {
            out.line(info.name() + " puts into " + info.schedule().queue() + " "
                    + runs(info.schedule().cadence()) + ", "
                    + info.nextRun().map(next -> "next at " + next).orElse("but is paused") + "."
                    + info.lastSkip()
                            .map(skip -> " Not at " + skip.due() + ": " + IsoDurations.plain(skip.reason()) + ".")
                            .orElse(""));
        }
        return 0;
    }

    private static String runs(Cadence cadence) {
        if (cadence instanceof Cron cron) {
            String zone = cron.zone().getId();
            return "at '" + cron.expression() + "'" + (zone.equals("UTC") ? "" : " in " + zone);
        }
        return "every " + DurationText.format(((FixedRate) cadence).interval());
    }

    private static List<String> row(ScheduleInfo info) {
        return List.of(
                info.name(),
                info.schedule().queue(),
                info.schedule().tenant().orElse(""),
                runs(info.schedule().cadence()),
                info.nextRun().map(TaskRows::time).orElse("paused"),
                info.lastRun().map(TaskRows::time).orElse(""),
                info.lastTask().isPresent() ? Long.toString(info.lastTask().getAsLong()) : "",
                info.lastSkip().map(skip -> IsoDurations.plain(skip.reason())).orElse(""));
    }
}
