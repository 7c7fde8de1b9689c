package dev.leat.error;

/** The storage cannot do this, and says so instead of ignoring it. */
public final class UnsupportedByStorageException extends LeatException {
    private static final long serialVersionUID = 1L;

    public UnsupportedByStorageException(String storage, String what) {
        super("Storage '" + storage + "' does not support " + what + ".");
    }

    UnsupportedByStorageException(ErrorCode.Told told) {
        super(told.message());
    }
}
