package dev.leat.error;

/**
 * The connection broke while a put was being committed: its tasks may be there or not. Putting them again may put them
 * twice, unless they carry an idempotency key.
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
