package dev.leat.server.internal;

import dev.leat.TakenTask;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * One thing that can be asked.
 *
 * @param method of HTTP
 * @param path with variables in braces
 * @param handler who answers, on a thread that may block
 */
record Route(String method, String path, Handler handler) {

    /** Who answers. */
    sealed interface Handler {}

    /** Answers without the storage, whatever becomes of that. */
    record Always(Reply answer) implements Handler {}

    /** Answers at once. */
    record Direct(Function<Call, Reply> answer) implements Handler {}

    /** Answers when there are tasks, or none came in time; nobody's thread waits meanwhile. */
    record Waiting(Function<Call, CompletableFuture<List<TakenTask>>> tasks, Function<List<TakenTask>, Reply> answer)
            implements Handler {}

    static Route direct(String method, String path, Function<Call, Reply> answer) {
        return new Route(method, path, new Direct(answer));
    }
}
