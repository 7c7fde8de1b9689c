package dev.leat.cli.task;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.Awaited;
import dev.leat.Leat;
import dev.leat.Outcome;
import dev.leat.Payload;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.console.Output;
import dev.leat.json.TaskJson;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leat await}: waits for the end of a task or group. */
@Command(
        name = "await",
        description = {
            "Waits until a task has ended, and prints its result.",
            "Exit code 0: it is done; 1: it failed, expired, was canceled or put aside; 3: there is no such task, or nobody knows any more;"
                    + " 4: it has not ended in time."
        },
        mixinStandardHelpOptions = true)
public final class AwaitCommand extends StorageCommand {
    private static final int NOT_OK = 1;
    private static final int TOO_EARLY = 4;

    @Parameters(paramLabel = "ID|QUEUE", description = "The task; or the queue of the live one that has the --address.")
    private String idOrQueue;

    @Option(
            names = "--address",
            paramLabel = "NAME",
            description = "Waits for the task of QUEUE that has this address.")
    private @Nullable String address;

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            defaultValue = "60",
            description = "How long to wait (default: 60s).")
    private Duration wait;

    @Override
    protected int run(Leat leat, Output out) throws InterruptedException {
        Awaited awaited = address != null
                ? leat.outcomes().await(idOrQueue, address, wait)
                : leat.outcomes().await(id(), wait);
        if (awaited instanceof Awaited.Ended ended) {
            return ended(ended.outcome(), out);
        }
        if (awaited instanceof Awaited.NotThere) {
            err().println("No live task of queue '" + idOrQueue + "' has the address '" + address + "'.");
            return NOTHING_THERE;
        }
        if (out.isJson()) {
            out.json(JsonNodeFactory.instance.objectNode().put("ended", false));
        } else {
            err().println("It has not ended in time.");
        }
        return TOO_EARLY;
    }

    private long id() {
        if (!idOrQueue.matches("\\d{1,18}")) {
            throw wrong("'" + idOrQueue + "' is no task; with a queue say which --address");
        }
        return Long.parseLong(idOrQueue);
    }

    private int ended(Outcome outcome, Output out) {
        if (out.isJson()) {
            out.json(TaskJson.of(outcome));
        } else if (outcome.ok()) {
            outcome.result().map(Payload::text).ifPresent(out::line);
        } else {
            String code = outcome.errorCode() == 0 ? "" : " (code " + outcome.errorCode() + ")";
            String message = outcome.message().isEmpty() ? "." : ": " + outcome.message();
            err().println("The task is " + TaskJson.name(outcome.state()) + code + message);
        }
        return outcome.ok() ? 0 : NOT_OK;
    }
}
