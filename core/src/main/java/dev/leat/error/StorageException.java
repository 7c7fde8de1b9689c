package dev.leat.error;

/** The storage failed: it is down, unreachable, full, or refused the call. A later call may succeed. */
public class StorageException extends LeatException {
    private static final long serialVersionUID = 1L;

    public StorageException(String message) {
        super(message);
    }

    public StorageException(String message, Throwable cause) {
        super(message, cause);
    }
}
