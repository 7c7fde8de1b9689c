package dev.leat.error;

/** The storage cannot serve this call. */
public final class UnsupportedByStorageException extends LeatException {
    private static final long serialVersionUID = 1L;

    public UnsupportedByStorageException(String storage, String what) {
        super("Storage '" + storage + "' does not support " + what + ".");
    }

    UnsupportedByStorageException(ErrorCode.Told told) {
        super(told.message());
    }
}
