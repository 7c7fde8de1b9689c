package dev.leat.server.internal.rest;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Awaited;
import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.error.ErrorCode;
import dev.leat.error.InvalidRequestException;
import dev.leat.json.DurationText;
import dev.leat.json.JsonFields;
import dev.leat.json.TaskJson;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;

/** How tasks ended, for those who wait for it, and parts of results for those who do not want to. */
final class OutcomeRoutes {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String ADDRESS = "address";
    private static final String WAIT = "wait";
    private static final String SEEN = "seen";

    private final Leat leat;
    private final QueueAccess gate;
    private final Duration longestWait;

    OutcomeRoutes(Leat leat, QueueAccess gate, Duration longestWait) {
        this.leat = leat;
        this.gate = gate;
        this.longestWait = longestWait;
    }

    Route.Waiting<Awaited> ofTask() {
        return waiting(this::ofTask);
    }

    Route.Waiting<Awaited> ofAddress() {
        return waiting(this::ofAddress);
    }

    private static Route.Waiting<Awaited> waiting(Function<RestCall, CompletableFuture<Awaited>> begin) {
        Reply stopped = Reply.ok(JSON.objectNode().put("ended", false));
        return new Route.Waiting<>(begin, OutcomeRoutes::reply, stopped, awaited -> Optional.empty());
    }

    private CompletableFuture<Awaited> ofTask(RestCall call) {
        call.allowQuery(Set.of(WAIT, SEEN));
        gate.checkStanding(call, call.id());
        return await(call.id(), call);
    }

    /** Of any number who wait at one address, all are served by one question. */
    private CompletableFuture<Awaited> ofAddress(RestCall call) {
        call.allowQuery(Set.of(ADDRESS, WAIT, SEEN));
        String queue = call.path("queue");
        String address = call.query(ADDRESS).orElseThrow(() -> new InvalidRequestException(ADDRESS, "is missing"));
        if (call.query(SEEN).isEmpty()) {
            return leat.outcomes().awaitAsync(queue, address, wait(call));
        }
        OptionalLong task = leat.findAddress(queue, address);
        return task.isPresent()
                ? await(task.getAsLong(), call)
                : CompletableFuture.completedFuture(new Awaited.NotThere(queue, address));
    }

    private CompletableFuture<Awaited> await(long task, RestCall call) {
        Optional<Integer> seen = call.queryInteger(SEEN);
        return seen.isPresent()
                ? leat.outcomes().awaitChunkAsync(task, seen.get(), wait(call))
                : leat.outcomes().awaitAsync(task, wait(call));
    }

    private Duration wait(RestCall call) {
        Duration wait =
                call.query(WAIT).map(text -> DurationText.parse(WAIT, text)).orElse(Duration.ZERO);
        return wait.compareTo(longestWait) > 0 ? longestWait : wait;
    }

    private static Reply reply(Awaited awaited) {
        if (awaited instanceof Awaited.Ended ended) {
            return Reply.ok(TaskJson.of(ended.outcome()));
        } else if (awaited instanceof Awaited.Chunk chunk) {
            return Reply.ok(lives(chunk.taskId()).put("chunk", chunk.number()));
        } else if (awaited instanceof Awaited.TimedOut late) {
            return Reply.ok(lives(late.taskId()));
        }
        throw ErrorCode.TASK_NOT_FOUND.told(
                "No live task has the address. Ask for the outcome of one that has ended by its id.");
    }

    private static ObjectNode lives(long task) {
        return JSON.objectNode().put("task", task).put("ended", false);
    }

    /** A holder has a part of the result ready. */
    Reply chunk(RestCall call) {
        JsonFields fields = call.fields("chunk");
        Lease lease = TaskRoutes.lease(fields);
        int number = fields.integer("number").orElseThrow(() -> new InvalidRequestException("number", "is missing"));
        fields.end();
        gate.checkLeases(call, Stream.of(lease));
        return Reply.ok(JSON.objectNode().put("result", leat.outcomes().reportChunk(lease, number) ? "told" : "gone"));
    }
}
