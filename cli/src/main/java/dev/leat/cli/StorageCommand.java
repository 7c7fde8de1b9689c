package dev.leat.cli;

import dev.leat.InvalidRequestException;
import dev.leat.Leat;
import dev.leat.PurgeOptions;
import dev.leat.json.DurationText;
import java.time.Duration;
import picocli.CommandLine;

/** A command that works on a storage, which it opens and closes. */
abstract class StorageCommand extends StorageUrlCommand {
    /** Nothing came, or what was named is no longer there. */
    static final int NOTHING_THERE = 3;

    /** Does it and answers the exit code. */
    abstract int run(Leat leat, Output out) throws Exception;

    @Override
    final int run(String storageUrl, Output out) throws Exception {
        try (Leat leat = builder(storageUrl).name(sessionName()).open()) {
            return run(leat, out);
        }
    }

    /** Without a shutdown hook: commands that run for long have their own, which say how they ended. */
    Leat.Builder builder(String url) {
        return Leat.builder(url).purge(purgeOptions()).shutdownHook(false);
    }

    final PurgeOptions purgeOptions() {
        return nsjEnvironment().map(NsjEnvironment::purge).orElse(PurgeOptions.standard());
    }

    /** Who works on the tasks, for people who look. */
    String sessionName() {
        return "leat-cli";
    }

    /** Reads durations as {@code 1.5s}, {@code 2m} or seconds. */
    static final class DurationConverter implements CommandLine.ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            try {
                return DurationText.parse("it", text);
            } catch (InvalidRequestException e) {
                throw new CommandLine.TypeConversionException(e.getMessage());
            }
        }
    }
}
