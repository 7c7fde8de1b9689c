package dev.leat.error;

/** Another transaction that has not ended yet has put a task with the same address; whether it will count is not known. */
public class AddressInDoubtException extends LeatException {
    private static final long serialVersionUID = 1L;

    public AddressInDoubtException(Throwable cause) {
        super("Another transaction, not yet committed, has put a task with the same address.", cause);
    }

    AddressInDoubtException(ErrorCode.Told told) {
        super(told.message());
    }
}
