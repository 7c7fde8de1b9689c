package dev.leat.cli;

import dev.leat.cli.admin.BackupCommands;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.command.StorageUrlCommand;
import dev.leat.cli.console.CloseWords;
import dev.leat.cli.console.IsoDurations;
import dev.leat.error.AccessDeniedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.error.OutcomeForgottenException;
import dev.leat.error.QueueExistsException;
import dev.leat.error.QueueFullException;
import dev.leat.error.QueueNotFoundException;
import dev.leat.error.ScheduleNotFoundException;
import dev.leat.error.StorageException;
import dev.leat.error.StorageNotFoundException;
import dev.leat.error.SubscriptionNotFoundException;
import dev.leat.error.TaskNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Prints an error in two lines, in the words of the command line: the problem, and a hint. The stack trace is in the log,
 * at the level debug.
 */
record ErrorReport(int exitCode, String problem, String hint) {
    private static final Logger log = LoggerFactory.getLogger(ErrorReport.class);

    /** How core's message about a missing type filter begins. */
    private static final String NOT_FILTERED = "are not filtered by ";

    private static final Map<Class<? extends LeatException>, String> HINTS = Map.of(
            QueueNotFoundException.class,
            "'leat queue list' shows the queues, 'leat queue create NAME' makes one.",
            QueueExistsException.class,
            "'leat queue show NAME' shows it; choose another name, or remove it with 'leat queue drop NAME'.",
            QueueFullException.class,
            "Put again when some of its tasks have ended; 'leat stats NAME' counts them.",
            TaskNotFoundException.class,
            "'leat list' shows live tasks, 'leat list --state done,failed,expired,canceled' those that have ended.",
            OutcomeForgottenException.class,
            "'leat queue create NAME --keep TIME' says how long a queue keeps them.",
            ScheduleNotFoundException.class,
            "'leat schedule list' shows the schedules.",
            SubscriptionNotFoundException.class,
            "'leat subscription list' shows the subscriptions.",
            AccessDeniedException.class,
            "Give a token that may do it: as LEAT_TOKEN, or in the URL as ?token=….");

    /** For a command line that cannot be understood. */
    static ErrorReport of(CommandLine.ParameterException e) {
        CommandSpec spec = e.getCommandLine().getCommandSpec();
        if (e instanceof CommandLine.UnmatchedArgumentException unmatched) {
            return unmatched(unmatched, spec);
        }
        boolean isOnlyAGroup = !spec.subcommands().isEmpty() && !(spec.userObject() instanceof Callable);
        String problem = isOnlyAGroup
                ? "Missing required subcommand: " + String.join(", ", subcommands(spec))
                : String.valueOf(e.getMessage());
        return new ErrorReport(CommandLine.ExitCode.USAGE, problem, help(spec));
    }

    private static ErrorReport unmatched(CommandLine.UnmatchedArgumentException e, CommandSpec spec) {
        String word = e.getUnmatched().get(0);
        List<String> known;
        String what;
        if (e.isUnknownOption()) {
            what = "Unknown option";
            word = word.replaceFirst("=.*", "");
            known = options(spec);
        } else if (spec.subcommands().isEmpty()) {
            what = "Unexpected argument";
            known = List.of();
        } else {
            what = "Unknown command";
            known = subcommands(spec);
        }
        String near = CloseWords.closest(word, known)
                .map(close -> "Did you mean " + close + "? ")
                .orElse("");
        return new ErrorReport(CommandLine.ExitCode.USAGE, what + ": '" + word + "'", near + help(spec));
    }

    /** For a command that failed. */
    static ErrorReport of(Exception e, CommandLine command) {
        log.debug("{} failed", command.getCommandSpec().qualifiedName(), e);
        int exitCode = e instanceof TaskNotFoundException || e instanceof OutcomeForgottenException
                ? StorageCommand.NOTHING_THERE
                : CommandLine.ExitCode.SOFTWARE;
        return new ErrorReport(exitCode, problem(e, command.getCommandSpec()), hint(e, command));
    }

    private static String problem(Exception e, CommandSpec spec) {
        if (e instanceof InvalidRequestException invalid) {
            if (isAboutTypes(invalid) && invalid.problem().startsWith(NOT_FILTERED)) {
                return invalid.problem().substring(NOT_FILTERED.length())
                        + " has no type filter, so --type cannot be used";
            }
            return option(invalid.field(), spec).orElse(invalid.field()) + " " + invalid.problem();
        }
        if (e instanceof LeatException leat) {
            return leat.withoutAdvice();
        }
        if (e instanceof NoSuchFileException) {
            return "no such file: " + e.getMessage();
        }
        if (e instanceof java.nio.file.AccessDeniedException) {
            return "no right to use this file: " + e.getMessage();
        }
        return e instanceof IOException ? String.valueOf(e.getMessage()) : "unexpected error: " + e;
    }

    /** The option by which a value is given that Java calls {@code field}: {@code externalKey} is {@code --external-key}. */
    private static Optional<String> option(String field, CommandSpec spec) {
        String name = "--" + field.replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
        List<String> known = options(spec);
        return Optional.of(name).filter(known::contains).or(() -> Optional.of(name.replaceFirst("s$", ""))
                .filter(known::contains)
                .map(repeated -> "values of " + repeated));
    }

    private static String hint(Throwable e, CommandLine command) {
        if (e.getClass() == LeatException.class && e.getCause() instanceof LeatException why) {
            return hint(why, command);
        }
        @Nullable String known = HINTS.get(e.getClass());
        if (known != null) {
            return known;
        }
        if (command.getCommand() instanceof BackupCommands.Copying copying && copying.isAboutTheFile(e)) {
            return copying.hint(e);
        }
        if (command.getCommand() instanceof StorageUrlCommand storage && isAboutTheStorage(e)) {
            return "The storage is " + storage.describeStorage() + ". " + aboutTheStorage(e);
        }
        if (e instanceof InvalidRequestException invalid && isAboutTypes(invalid)) {
            return "'leat queue create NAME --type-filter' makes a queue that filters them.";
        }
        if (e instanceof LeatException || e instanceof IOException) {
            return help(command.getCommandSpec());
        }
        return "This is a mistake in Leat. LEAT_LOG=debug shows where it happened.";
    }

    private static boolean isAboutTypes(InvalidRequestException e) {
        return e.field().equals("types");
    }

    private static boolean isAboutTheStorage(Throwable e) {
        return e instanceof StorageException
                || e instanceof InvalidRequestException invalid
                        && invalid.field().equals(StorageCommand.STORAGE_URL);
    }

    private static String aboutTheStorage(Throwable e) {
        if (e instanceof StorageNotFoundException) {
            return "Name another with --storage, or make it there with 'leat migrate'.";
        }
        return e instanceof StorageException
                ? "See whether it can be used, or name another with --storage."
                : "Name one with --storage, such as sqlite:FILE.";
    }

    private static String help(CommandSpec spec) {
        return "Try '" + spec.qualifiedName() + " --help'.";
    }

    private static List<String> options(CommandSpec spec) {
        return spec.options().stream()
                .flatMap(option -> List.of(option.names()).stream())
                .toList();
    }

    private static List<String> subcommands(CommandSpec spec) {
        return new ArrayList<>(spec.subcommands().keySet());
    }

    /** Prints it, and answers the exit code. */
    int print(CommandLine command) {
        command.getErr().println(command.getColorScheme().errorText("leat: " + oneLine(problem)));
        command.getErr().println(hint);
        command.getErr().flush();
        return exitCode;
    }

    private static String oneLine(String text) {
        return IsoDurations.plain(text.replaceAll("\\s*\\R\\s*", " ").strip());
    }
}
