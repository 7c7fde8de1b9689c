package dev.leat.error;

/** There is no file, or no tables of Leat's in the database, and the caller wants none to be made. */
public final class StorageNotFoundException extends StorageException {
    private static final long serialVersionUID = 1L;

    public StorageNotFoundException(String message) {
        super(message);
    }
}
