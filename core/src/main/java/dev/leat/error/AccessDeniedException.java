package dev.leat.error;

/** The server knows the caller and refuses the call. */
public final class AccessDeniedException extends LeatException {
    private static final long serialVersionUID = 1L;

    public AccessDeniedException(String message) {
        super(message);
    }
}
