package dev.leat.internal.worker;

import dev.leat.Leat;
import dev.leat.QueueExistsException;
import dev.leat.QueueNotFoundException;
import dev.leat.QueueOptions;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.internal.waiting.Loop;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the buffer filled. One thread: asks what is wanted, takes it, and when no queue has anything, leaves one waiting
 * take behind and sleeps. The waiting take accepts from every queue at once, so it never gets more than was free.
 */
final class Feeder implements AutoCloseable {
    private static final Duration FOR_EVER = Duration.ofDays(365);
    /** How often types that a condition switches on and off are asked for while nothing happens. */
    private static final Duration TYPES_ASKED_EVERY = Duration.ofSeconds(1);

    private final Leat leat;
    private final Map<String, ServedQueue> queues;
    private final Buffer buffer;
    private final Consumer<List<TakenTask>> giveBack;
    private final Loop loop;
    private @Nullable CompletableFuture<List<TakenTask>> pending;
    private List<TakeRequest> pendingRequests = List.of();
    private int turn;

    Feeder(Leat leat, List<ServedQueue> queues, Function<Runnable, Buffer> buffer, Consumer<List<TakenTask>> giveBack) {
        this.leat = leat;
        this.queues = queues.stream().collect(Collectors.toMap(queue -> queue.name, queue -> queue));
        this.giveBack = giveBack;
        this.loop = new Loop("leat-feeder", this::feed);
        this.buffer = buffer.apply(loop::wake);
    }

    Buffer buffer() {
        return buffer;
    }

    void start() {
        createMissingQueues();
        loop.start();
    }

    private void createMissingQueues() {
        for (ServedQueue queue : queues.values()) {
            try {
                if (leat.queue(queue.name).info().isEmpty()) {
                    leat.queue(queue.name).create(QueueOptions.standard());
                }
                queue.timeLimited = leat.queue(queue.name)
                        .info()
                        .flatMap(info -> info.options().ttr())
                        .isPresent();
            } catch (QueueExistsException e) {
                // somebody else was faster, which is as good
            }
        }
    }

    private Duration feed() {
        List<TakeRequest> wanted = buffer.wanted(turn++);
        if (pending != null && !pending.isDone()) {
            if (wanted.isEmpty() || sameButCount(wanted, pendingRequests)) {
                return idle();
            }
            pending.cancel(false);
        }
        while (!wanted.isEmpty()) {
            CompletableFuture<List<TakenTask>> answer = take(wanted);
            if (!answer.isDone()) {
                pending = answer;
                pendingRequests = wanted;
                answer.whenComplete((tasks, error) -> {
                    if (tasks != null && !tasks.isEmpty()) {
                        accept(tasks);
                    }
                    loop.wake();
                });
                return idle();
            }
            accept(answer.join());
            wanted = buffer.wanted(turn++);
        }
        return idle();
    }

    private CompletableFuture<List<TakenTask>> take(List<TakeRequest> wanted) {
        try {
            return leat.takeAsync(wanted, FOR_EVER);
        } catch (QueueNotFoundException e) {
            createMissingQueues();
            return leat.takeAsync(wanted, FOR_EVER);
        }
    }

    private void accept(List<TakenTask> tasks) {
        ServedQueue queue =
                tasks.isEmpty() ? null : queues.get(tasks.get(0).task().queue());
        if (queue != null && !buffer.add(queue, tasks)) {
            giveBack.accept(tasks);
        }
    }

    private Duration idle() {
        boolean conditional = queues.values().stream().anyMatch(queue -> queue.types != null);
        return conditional ? TYPES_ASKED_EVERY : FOR_EVER;
    }

    private static boolean sameButCount(List<TakeRequest> a, List<TakeRequest> b) {
        return a.size() == b.size()
                && a.stream().allMatch(request -> b.stream().anyMatch(other -> other.isLike(request)));
    }

    /** Takes nothing more. What was on its way is given back. */
    @Override
    public void close() {
        loop.close();
        if (pending != null) {
            pending.cancel(false);
        }
    }
}
