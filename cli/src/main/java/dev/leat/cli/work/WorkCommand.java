package dev.leat.cli.work;

import dev.leat.Leat;
import dev.leat.Payload;
import dev.leat.cli.command.NsjEnvironment;
import dev.leat.cli.console.Output;
import dev.leat.worker.Worker;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leat work}: runs a program for every task of a queue. */
@Command(
        name = "work",
        description = {
            "Runs a shell command for every task of a queue, until Ctrl-C.",
            "The payload is its standard input; LEAT_TASK_ID, LEAT_QUEUE, LEAT_ATTEMPT, LEAT_PRIORITY, LEAT_CONTENT_TYPE, and where"
                    + " there are any LEAT_KEY, LEAT_ADDRESS, LEAT_TYPE and LEAT_TENANT are in its environment.",
            "Exit code 0 acknowledges the task, 75 releases it; any other fails it with the last line of standard error."
        },
        mixinStandardHelpOptions = true)
public final class WorkCommand extends WorkingCommand {
    @Parameters(
            paramLabel = "QUEUE",
            arity = "0..1",
            description =
                    "The queue; made if it is missing (default: QUEUE_NAME beside the other variables of nsj-queue-lib).")
    private @Nullable String queueOrDefault;

    @Option(names = "--exec", paramLabel = "COMMAND", required = true, description = "What /bin/sh is to run.")
    private String command;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            defaultValue = "1",
            description = "How many run at once (default: 1).")
    private int concurrency;

    @Override
    protected int run(Leat leat, Output out) throws InterruptedException {
        ShellHandler handler = new ShellHandler(command, err());
        Worker worker = leat.worker()
                .handle(queue(), Payload.class, handler)
                .concurrency(concurrency)
                .build();
        work(leat, worker, new AroundStop() {
            @Override
            public void before() {
                handler.stopping();
            }

            @Override
            public void after() {
                handler.close();
            }
        });
        return 0;
    }

    private String queue() {
        return Optional.ofNullable(queueOrDefault)
                .or(() -> nsjEnvironment().map(NsjEnvironment::queue))
                .orElseThrow(() -> wrong("Missing required parameter: 'QUEUE'"));
    }
}
