package dev.leat.internal.waiting;

import dev.leat.error.LeatException;
import dev.leat.internal.HandlerThread;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Blocks a caller until the answer of a waiting take or await is there. */
public final class Answers {
    private Answers() {}

    /**
     * Waits for the answer. A handler that calls this lends its slot meanwhile. An interrupt cancels the answer, unless the answer is there
     * already.
     */
    public static <T> T get(CompletableFuture<T> answer) throws InterruptedException {
        return answer.isDone() ? join(answer) : HandlerThread.lendSlotDuring(() -> join(answer));
    }

    private static <T> T join(CompletableFuture<T> answer) throws InterruptedException {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            answer.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            throw asRuntimeException(e.getCause());
        }
    }

    private static RuntimeException asRuntimeException(@Nullable Throwable cause) {
        if (cause instanceof RuntimeException e) {
            return e;
        }
        return new LeatException("waiting failed", cause == null ? new CancellationException() : cause);
    }
}
