package dev.leat.server.internal.rest;

import dev.leat.server.Role;
import dev.leat.server.internal.events.EventFilter;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One thing that can be asked.
 *
 * @param method of HTTP
 * @param path with variables in braces
 * @param role what whoever asks must be allowed to do; empty if everybody may ask, without a token too
 * @param handler who answers, on a thread that may block
 */
public record Route(String method, String path, Optional<Role> role, Handler handler) {

    /** Who answers. */
    sealed interface Handler {}

    /** Answers without the storage, whatever becomes of that. */
    public record Always(Reply answer) implements Handler {}

    /** Answers at once. */
    public record Direct(Function<RestCall, Reply> answer) implements Handler {}

    /** Answers at once, with text. */
    public record Text(String type, Supplier<String> answer) implements Handler {}

    /**
     * Answers when there is what was asked for, or it did not come in time; nobody's thread waits meanwhile.
     *
     * @param begin begins to wait
     * @param answer what is said when it is there
     * @param stopped what is said to who waits when the server stops
     * @param undo what to do, if anything, about what could not be sent
     */
    public record Waiting<T>(
            Function<RestCall, CompletableFuture<T>> begin,
            Function<T, Reply> answer,
            Reply stopped,
            Function<T, Optional<Runnable>> undo)
            implements Handler {}

    /** Answers with task changes for as long as the caller listens. */
    public record Listening(Function<RestCall, EventFilter> filter) implements Handler {}

    static Route direct(Role role, String method, String path, Function<RestCall, Reply> answer) {
        return new Route(method, path, Optional.of(role), new Direct(answer));
    }

    static <T> Route waiting(Role role, String method, String path, Waiting<T> handler) {
        return new Route(method, path, Optional.of(role), handler);
    }

    static Route open(String path, Handler handler) {
        return new Route("GET", path, Optional.empty(), handler);
    }

    /** Whether the audit log has to know: it changes something that is not the caller's own task. */
    public boolean isOperatorAction() {
        return !method.equals("GET")
                && role.filter(needed -> needed == Role.OPERATE || needed == Role.ADMIN)
                        .isPresent();
    }
}
