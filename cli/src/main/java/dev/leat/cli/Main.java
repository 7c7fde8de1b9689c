package dev.leat.cli;

import dev.leat.LeatException;
import dev.leat.OutcomeForgottenException;
import dev.leat.TaskNotFoundException;
import dev.leat.cli.demo.DemoCommand;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * {@code leat}: runs one command and exits with 0 on success, 1 on failure, 2 when the command line is wrong, 3 when there
 * was no task, or no longer, and 4 when it has not ended in time.
 */
@Command(
        name = "leat",
        description = "One task queue for the JVM, where the data lives.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            DemoCommand.class,
            ServerCommand.class,
            TokenCommand.class,
            QueueCommand.class,
            SubscriptionCommand.class,
            WebhooksCommand.class,
            ScheduleCommand.class,
            PutCommand.class,
            TakeCommand.class,
            SettleCommands.Ack.class,
            SettleCommands.Fail.class,
            SettleCommands.Retry.class,
            SettleCommands.Release.class,
            SettleCommands.Bury.class,
            SettleCommands.TouchCommand.class,
            SettleCommands.Chunk.class,
            AwaitCommand.class,
            TaskCommands.Peek.class,
            TaskCommands.ListTasks.class,
            TaskCommands.Kick.class,
            DeadCommand.class,
            TaskCommands.Delete.class,
            TaskCommands.Cancel.class,
            StatsCommand.class,
            WorkCommand.class,
            HousekeepCommand.class,
            WorkerCommand.class,
            DoctorCommand.class,
            BenchCommand.class,
            BackupCommands.Backup.class,
            BackupCommands.Restore.class,
            MigrateCommand.class,
            SchemaCommand.class,
            AutoComplete.GenerateCompletion.class,
            CommandLine.HelpCommand.class
        })
public final class Main implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    private Main() {}

    public static void main(String[] args) {
        System.exit(execute(args));
    }

    static int execute(String... args) {
        return commandLine().execute(args);
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExpandAtFiles(false) // put's @FILE is a payload, not a file of arguments
                .setExecutionExceptionHandler((e, command, parsed) -> {
                    if (e instanceof TaskNotFoundException || e instanceof OutcomeForgottenException) {
                        command.getErr().println(command.getColorScheme().errorText("leat: " + e.getMessage()));
                        return StorageCommand.NOTHING_THERE;
                    }
                    if (!(e instanceof LeatException || e instanceof IOException)) {
                        throw e;
                    }
                    String message =
                            e instanceof NoSuchFileException ? "no such file: " + e.getMessage() : e.getMessage();
                    command.getErr().println(command.getColorScheme().errorText("leat: " + message));
                    return CommandLine.ExitCode.SOFTWARE;
                });
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "Which command?");
    }
}
