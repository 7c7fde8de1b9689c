package dev.leat.error;

/** Another transaction puts an equivalent task, and this transaction cannot see whether it commits. */
public class EquivalentInDoubtException extends LeatException {
    private static final long serialVersionUID = 1L;

    public EquivalentInDoubtException(Throwable cause) {
        super("Another transaction, not yet committed, has put an equivalent task.", cause);
    }

    public EquivalentInDoubtException(String message) {
        super(message);
    }

    EquivalentInDoubtException(ErrorCode.Told told) {
        super(told.message());
    }
}
