package dev.leat.error;

/** The Leat or its storage is closed. */
public final class ClosedException extends LeatException {
    private static final long serialVersionUID = 1L;

    public ClosedException(String what) {
        super(what + " is closed.");
    }

    ClosedException(ErrorCode.Told told) {
        super(told.message());
    }
}
