package dev.leat.error;

/** The file or Leat's tables are missing, and the caller does not let Leat make them. */
public final class StorageNotFoundException extends StorageException {
    private static final long serialVersionUID = 1L;

    public StorageNotFoundException(String message) {
        super(message);
    }
}
