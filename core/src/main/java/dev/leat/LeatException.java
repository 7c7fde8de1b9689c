package dev.leat;

/** The root of everything Leat throws on purpose. */
public class LeatException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public LeatException(String message) {
        super(message);
    }

    public LeatException(String message, Throwable cause) {
        super(message, cause);
    }
}
