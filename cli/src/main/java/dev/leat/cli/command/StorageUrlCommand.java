package dev.leat.cli.command;

import dev.leat.cli.console.Output;
import dev.leat.storage.Storages;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** A command with the option {@code --storage}. */
public abstract class StorageUrlCommand implements Callable<Integer> {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(
            names = "--storage",
            paramLabel = "URL",
            description = "Where the tasks are: sqlite:FILE, jdbc:postgresql://…, jdbc:mariadb://…, http://… (default:"
                    + " LEAT_STORAGE, the variables of nsj-queue-lib, or sqlite:leat.db in this directory).")
    private @Nullable String storage;

    @Option(names = "--json", description = "Prints JSON instead of a table.")
    private boolean json;

    /** Runs the command and returns the exit code. */
    protected abstract int run(String storageUrl, Output out) throws Exception;

    /** The variables of nsj-queue-lib; empty if {@code --storage} or {@code LEAT_STORAGE} names the storage. */
    protected final Optional<NsjEnvironment> nsjEnvironment() {
        return namedStorage().isPresent() ? Optional.empty() : NsjEnvironment.of(System.getenv());
    }

    private Optional<String> namedStorage() {
        return Optional.ofNullable(storage)
                .or(() -> Optional.ofNullable(System.getenv("LEAT_STORAGE")).filter(url -> !url.isBlank()));
    }

    /** For messages: the URL without secrets, and where it comes from. */
    public final String describeStorage() {
        String from = storage != null
                ? ", from --storage"
                : namedStorage().isPresent()
                        ? ", from LEAT_STORAGE"
                        : nsjEnvironment().isPresent() ? ", from the variables of nsj-queue-lib" : ", the default";
        return Storages.withoutSecrets(storageUrl()) + from;
    }

    private String storageUrl() {
        return namedStorage().or(() -> nsjEnvironment().map(this::storageUrl)).orElse("sqlite:leat.db");
    }

    protected String storageUrl(NsjEnvironment environment) {
        return environment.storageUrl();
    }

    /** The name of the command. */
    protected final String name() {
        return spec.name();
    }

    @Override
    public Integer call() throws Exception {
        Output out = new Output(spec.commandLine().getOut(), json);
        try {
            return run(storageUrl(), out);
        } finally {
            out.flush();
        }
    }

    /** Returns the exception for a mistake on the command line. */
    protected final CommandLine.ParameterException wrong(String message) {
        return new CommandLine.ParameterException(spec.commandLine(), message);
    }

    /** Standard error, for questions, progress and remarks. Results go to standard output. */
    public final PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
