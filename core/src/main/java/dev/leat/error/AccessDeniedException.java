package dev.leat.error;

/** A server knows who asks, and does not allow it. */
public final class AccessDeniedException extends LeatException {
    private static final long serialVersionUID = 1L;

    public AccessDeniedException(String message) {
        super(message);
    }
}
