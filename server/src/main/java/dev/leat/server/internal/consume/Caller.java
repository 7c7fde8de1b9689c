package dev.leat.server.internal.consume;

import dev.leat.error.ErrorCode;
import dev.leat.server.internal.access.Grant;
import dev.leat.wire.Op;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.ObjIntConsumer;

/**
 * Who is at the other end of a connection.
 *
 * @param grant what he may do
 * @param stillKnown whether his token is good still
 * @param audit takes what he did, and how it was answered as HTTP would say it
 */
public record Caller(Grant grant, BooleanSupplier stillKnown, ObjIntConsumer<String> audit) {
    private static final int DONE = 200;
    private static final int FORBIDDEN = 403;
    private static final int FAILED = 500;
    private static final int REFUSED = 409;

    boolean isStillKnown() {
        return stillKnown.getAsBoolean();
    }

    /** The audit log has to know of operators' acts, and of what was forbidden. */
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
