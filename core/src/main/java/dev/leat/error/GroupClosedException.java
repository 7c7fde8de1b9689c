package dev.leat.error;

/** The group has been canceled or has ended, so nothing can be added or started. */
public final class GroupClosedException extends LeatException {
    private static final long serialVersionUID = 1L;

    public GroupClosedException(String group, String state) {
        super("Group " + group + " is closed: it is " + state + ".");
    }

    GroupClosedException(ErrorCode.Told told) {
        super(told.message());
    }
}
