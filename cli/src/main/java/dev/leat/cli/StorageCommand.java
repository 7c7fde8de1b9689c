package dev.leat.cli;

import dev.leat.InvalidRequestException;
import dev.leat.Leat;
import dev.leat.PurgeOptions;
import dev.leat.json.DurationText;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** A command that works on a storage, which it opens and closes. */
abstract class StorageCommand implements Callable<Integer> {
    /** Nothing came, or what was named is no longer there. */
    static final int NOTHING_THERE = 3;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(
            names = "--storage",
            paramLabel = "URL",
            description =
                    "Where the tasks are: sqlite:FILE, jdbc:postgresql://…, jdbc:mariadb://…, http://… (default: LEAT_STORAGE, the"
                            + " variables of nsj-queue-lib, or sqlite:leat.db in this directory).")
    private @Nullable String storage;

    @Option(names = "--json", description = "Prints JSON instead of a table.")
    private boolean json;

    /** Does it and answers the exit code. */
    abstract int run(Leat leat, Output out) throws Exception;

    /** The variables of nsj-queue-lib, if they say where the tasks are. */
    final Optional<NsjEnvironment> nsjEnvironment() {
        return namedStorage().isPresent() ? Optional.empty() : NsjEnvironment.of(System.getenv());
    }

    private Optional<String> namedStorage() {
        return Optional.ofNullable(storage)
                .or(() -> Optional.ofNullable(System.getenv("LEAT_STORAGE")).filter(url -> !url.isBlank()));
    }

    private String storageUrl() {
        return namedStorage().or(() -> nsjEnvironment().map(this::storageUrl)).orElse("sqlite:leat.db");
    }

    String storageUrl(NsjEnvironment environment) {
        return environment.storageUrl();
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

    /** What the command is called. */
    final String name() {
        return spec.name();
    }

    @Override
    public Integer call() throws Exception {
        Output out = new Output(spec.commandLine().getOut(), json);
        try (Leat leat = builder(storageUrl()).name(sessionName()).open()) {
            return run(leat, out);
        } finally {
            out.flush();
        }
    }

    /** For a mistake on the command line: shows the usage too. */
    final CommandLine.ParameterException wrong(String message) {
        return new CommandLine.ParameterException(spec.commandLine(), message);
    }

    /** For what is not the result: questions, progress, remarks. */
    final PrintWriter err() {
        return spec.commandLine().getErr();
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
