package dev.leat.server.internal.rest;

import dev.leat.server.Role;
import dev.leat.server.internal.events.EventFilter;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One call of the HTTP API.
 *
 * @param method the HTTP method
 * @param path the path, with variables in braces
 * @param role the role that the caller needs; empty if the call needs no token
 * @param handler runs the call, on a thread that may block
 */
public record Route(String method, String path, Optional<Role> role, Handler handler) {

    /** Runs a call. */
    sealed interface Handler {}

    /** Answers without the storage, also when the storage is down. */
    public record Always(Reply answer) implements Handler {}

    /** Answers at once. */
    public record Direct(Function<RestCall, Reply> answer) implements Handler {}

    /** Answers at once, with text. */
    public record Text(String type, Supplier<String> answer) implements Handler {}

    /**
     * Answers when the result is available or the time is over. No thread waits meanwhile.
     *
     * @param begin starts the wait
     * @param answer makes the answer from the result
     * @param stopped the answer to a waiting caller when the server stops
     * @param undo undoes a result whose answer could not be sent
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

    /** Whether the call is written to the audit log: it changes more than the caller's own tasks. */
    public boolean isOperatorAction() {
        return !method.equals("GET")
                && role.filter(needed -> needed == Role.OPERATE || needed == Role.ADMIN)
                        .isPresent();
    }
}
