package dev.leat.cli;

import dev.leat.LeatException;
import dev.leat.cli.demo.DemoCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code leat}: runs one command and exits with 0 on success, 1 on failure, 2 when the command line is wrong. */
@Command(
        name = "leat",
        description = "One task queue for the JVM, where the data lives.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {DemoCommand.class, SchemaCommand.class, CommandLine.HelpCommand.class})
public final class Main implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    private Main() {}

    public static void main(String[] args) {
        System.exit(execute(args));
    }

    static int execute(String... args) {
        return new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((e, command, parsed) -> {
                    if (!(e instanceof LeatException)) {
                        throw e;
                    }
                    command.getErr().println(command.getColorScheme().errorText("leat: " + e.getMessage()));
                    return CommandLine.ExitCode.SOFTWARE;
                })
                .execute(args);
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "Which command?");
    }
}
