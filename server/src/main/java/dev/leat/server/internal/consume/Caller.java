package dev.leat.server.internal.consume;

import dev.leat.error.ErrorCode;
import dev.leat.server.internal.access.Grant;
import dev.leat.wire.Op;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.ObjIntConsumer;

/**
 * The client of a connection.
 *
 * @param grant what the client is allowed to do
 * @param stillKnown whether the token is still valid
 * @param audit receives each operation for the audit log, with its result as an HTTP status
 */
public record Caller(Grant grant, BooleanSupplier stillKnown, ObjIntConsumer<String> audit) {
    private static final int DONE = 200;
    private static final int FORBIDDEN = 403;
    private static final int FAILED = 500;
    private static final int REFUSED = 409;

    boolean isStillKnown() {
        return stillKnown.getAsBoolean();
    }

    /** Reports acts of operators and refused operations to the audit log. */
    void did(String operation, Optional<Throwable> error) {
        boolean isForbidden = error.flatMap(ErrorCode::of).equals(Optional.of(ErrorCode.FORBIDDEN));
        boolean isOperators = Op.of(operation).filter(Permits::isOperatorAction).isPresent();
        if (isForbidden || isOperators) {
            audit.accept(operation, isForbidden ? FORBIDDEN : status(error));
        }
    }

    private static int status(Optional<Throwable> error) {
        if (error.isEmpty()) {
            return DONE;
        }
        return ErrorCode.of(error.get()).isPresent() ? REFUSED : FAILED;
    }
}
