package dev.leat.server.internal.consume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.error.LeatException;
import dev.leat.error.PutOutcomeUnknownException;
import dev.leat.storage.Storage;
import dev.leat.wire.Op;
import dev.leat.wire.SettleMessages;
import dev.leat.wire.TaskMessages;
import dev.leat.wire.WireValues;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The puts and settles of one message, which come from different threads of a client. Each kind becomes one storage call. If the storage
 * refuses a call with several puts, each put is repeated by itself, so that no put gets the error of another. Used by one thread.
 */
final class RequestBatch {
    private record Part<T>(long number, List<T> values) {}

    private final Storage storage;
    private final Permits permits;
    private final Caller caller;
    private final List<Part<NewTask>> puts = new ArrayList<>();
    private final List<Part<Settle>> settles = new ArrayList<>();
    private final List<ObjectNode> answers = new ArrayList<>();

    RequestBatch(Storage storage, Permits permits, Caller caller) {
        this.caller = caller;
        this.storage = storage;
        this.permits = permits;
    }

    /** Returns false if the request is neither a put nor a settle. */
    boolean add(Request request) {
        try {
            if (request.is(Op.SETTLE)) {
                permits.check(Op.SETTLE, request.fields());
                List<Settle> values = WireValues.list(request.fields(), "settles", SettleMessages::settle);
                request.fields().end();
                permits.checkLeases(values.stream().map(Settle::lease));
                settles.add(new Part<>(request.number(), values));
                return true;
            } else if (request.is(Op.PUT)) {
                permits.check(Op.PUT, request.fields());
                List<NewTask> values = WireValues.list(request.fields(), "tasks", TaskMessages::newTask);
                request.fields().end();
                permits.checkTasks(values);
                puts.add(new Part<>(request.number(), values));
                return true;
            }
        } catch (LeatException e) {
            caller.did(request.named(), Optional.of(e));
            answers.add(RequestAnswers.error(request.number(), e));
            return true;
        }
        return false;
    }

    List<ObjectNode> run() {
        List<Part<NewTask>> mergeable =
                puts.stream().filter(RequestBatch::isMergeable).toList();
        puts.stream().filter(part -> !isMergeable(part)).forEach(part -> put(List.of(part)));
        put(mergeable);
        settle();
        return answers;
    }

    /** A put with an address, a group or a check for equivalents can wait for another transaction, and would delay the puts beside it. */
    private static boolean isMergeable(Part<NewTask> part) {
        return part.values.stream()
                .allMatch(task -> task.address().isEmpty()
                        && task.group().isEmpty()
                        && task.unlessEquivalent().isEmpty());
    }

    private void put(List<Part<NewTask>> parts) {
        if (parts.isEmpty()) {
            return;
        }
        try {
            List<NewTask> tasks = all(parts);
            List<PutResult> results = storage.put(tasks);
            int from = 0;
            for (Part<NewTask> part : parts) {
                int end = from + part.values.size();
                answers.add(RequestAnswers.result(
                        part.number, WireValues.list(results.subList(from, end), TaskMessages::of)));
                from = end;
            }
        } catch (RuntimeException | Error e) {
            if (parts.size() == 1 || e instanceof PutOutcomeUnknownException || e instanceof Error) {
                parts.forEach(part -> answers.add(RequestAnswers.error(part.number, e)));
            } else {
                parts.forEach(part -> put(List.of(part)));
            }
        }
    }

    private void settle() {
        if (settles.isEmpty()) {
            return;
        }
        try {
            List<SettleResult> results = storage.settle(all(settles));
            int from = 0;
            for (Part<Settle> part : settles) {
                int end = from + part.values.size();
                answers.add(RequestAnswers.result(
                        part.number, WireValues.list(results.subList(from, end), SettleMessages::of)));
                from = end;
            }
        } catch (RuntimeException | Error e) {
            settles.forEach(part -> answers.add(RequestAnswers.error(part.number, e)));
        }
    }

    private static <T> List<T> all(List<Part<T>> parts) {
        return parts.size() == 1
                ? parts.get(0).values
                : parts.stream().flatMap(part -> part.values.stream()).toList();
    }
}
