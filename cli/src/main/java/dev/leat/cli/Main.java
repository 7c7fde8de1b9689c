package dev.leat.cli;

import dev.leat.cli.admin.BackupCommands;
import dev.leat.cli.admin.BenchCommand;
import dev.leat.cli.admin.DoctorCommand;
import dev.leat.cli.admin.HousekeepCommand;
import dev.leat.cli.admin.MigrateCommand;
import dev.leat.cli.admin.SchemaCommand;
import dev.leat.cli.console.Converters;
import dev.leat.cli.demo.DemoCommand;
import dev.leat.cli.queue.QueueCommand;
import dev.leat.cli.queue.ScheduleCommand;
import dev.leat.cli.queue.StatsCommand;
import dev.leat.cli.queue.SubscriptionCommand;
import dev.leat.cli.server.ServerCommand;
import dev.leat.cli.server.TokenCommand;
import dev.leat.cli.task.AwaitCommand;
import dev.leat.cli.task.DeadCommand;
import dev.leat.cli.task.PutCommand;
import dev.leat.cli.task.SettleCommands;
import dev.leat.cli.task.TakeCommand;
import dev.leat.cli.task.TaskCommands;
import dev.leat.cli.work.WebhooksCommand;
import dev.leat.cli.work.WorkCommand;
import dev.leat.cli.work.WorkerCommand;
import java.util.concurrent.Callable;
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
public final class Main implements Callable<Integer> {
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
        CommandLine all = new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExpandAtFiles(false) // put's @FILE is a payload, not a file of arguments
                .setParameterExceptionHandler((e, args) -> ErrorReport.of(e).print(e.getCommandLine()))
                .setExecutionExceptionHandler(
                        (e, command, parsed) -> ErrorReport.of(e, command).print(command));
        Converters.register(all);
        return all;
    }

    /** Without a command: names all of them. */
    @Override
    public Integer call() {
        CommandLine command = spec.commandLine();
        command.getErr().println("Which command?");
        command.usage(command.getErr());
        return CommandLine.ExitCode.USAGE;
    }
}
