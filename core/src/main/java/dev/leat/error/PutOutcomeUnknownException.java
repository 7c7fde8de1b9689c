package dev.leat.error;

/**
 * The connection broke during the commit of a put, so the put may have happened or not. A second put can make the tasks twice, unless they have
 * idempotency keys.
 */
public class PutOutcomeUnknownException extends StorageException {
    private static final long serialVersionUID = 1L;

    public PutOutcomeUnknownException(Throwable cause) {
        super("The connection broke during the commit of a put: its tasks may be there or not.", cause);
    }

    PutOutcomeUnknownException(ErrorCode.Told told) {
        super(told.message());
    }
}
