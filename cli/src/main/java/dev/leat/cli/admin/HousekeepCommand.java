package dev.leat.cli.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.Housekeeping;
import dev.leat.Leat;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.console.Output;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code leat housekeep}: one round of the housekeeping that every process with an open storage does by itself. */
@Command(
        name = "housekeep",
        description = {
            "Lets due tasks run, takes tasks from holders who are out of time, expires and purges, now; and says how many.",
            "Workers and servers do it by themselves and in time: this is for storages that nobody has open, and to see it done."
        },
        mixinStandardHelpOptions = true)
public final class HousekeepCommand extends StorageCommand {
    @Option(
            names = "--end-silent",
            paramLabel = "TIME",
            description =
                    "Also ends the sessions of processes that died, and brings back what they held. It listens for TIME before, so that an outage of"
                            + " the storage costs nobody his tasks: say at least 15s.")
    private @Nullable Duration watched;

    /** Ends silent sessions only if this process has watched the storage for as long as a session may be silent. */
    @Override
    public Leat.Builder builder(String url) {
        Leat.Builder builder = super.builder(url);
        if (watched != null && watched.toMillis() < 1) {
            throw wrong("--end-silent must be at least 1ms");
        }
        return watched == null ? builder : builder.heartbeat(watched.dividedBy(4), watched);
    }

    @Override
    protected int run(Leat leat, Output out) throws InterruptedException {
        Housekeeping done = leat.housekeep();
        if (watched != null) {
            Thread.sleep(watched.toMillis() + 1);
            done = done.plus(leat.housekeep());
        }
        if (out.isJson()) {
            out.json(JsonNodeFactory.instance
                    .objectNode()
                    .put("due", done.due())
                    .put("lost", done.lost())
                    .put("expired", done.expired())
                    .put("purged", done.purged()));
        } else {
            out.line(String.format(
                    Locale.ROOT,
                    "%,d due, %,d lost, %,d expired, %,d purged",
                    done.due(),
                    done.lost(),
                    done.expired(),
                    done.purged()));
        }
        return 0;
    }
}
