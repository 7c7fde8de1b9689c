package dev.leat.error;

/** A payload cannot be written from, or read as, the wanted class. */
public final class PayloadException extends LeatException {
    private static final long serialVersionUID = 1L;

    public PayloadException(String message) {
        super(message);
    }

    public PayloadException(String message, Throwable cause) {
        super(message, cause);
    }
}
