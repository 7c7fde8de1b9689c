package dev.leat.error;

/** An open transaction has put a task with the same address, and may still roll back. */
public class AddressInDoubtException extends LeatException {
    private static final long serialVersionUID = 1L;

    public AddressInDoubtException(Throwable cause) {
        super("Another transaction, not yet committed, has put a task with the same address.", cause);
    }

    AddressInDoubtException(ErrorCode.Told told) {
        super(told.message());
    }
}
