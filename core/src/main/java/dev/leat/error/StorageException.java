package dev.leat.error;

/** The engine behind Leat failed: it is down, unreachable, full, or refused the work. Trying again later may help. */
public class StorageException extends LeatException {
    private static final long serialVersionUID = 1L;

    public StorageException(String message) {
        super(message);
    }

    public StorageException(String message, Throwable cause) {
        super(message, cause);
    }
}
