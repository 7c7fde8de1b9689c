package dev.leat.error;

/** The group is canceled or has ended; it accepts no tasks and no start. */
public final class GroupClosedException extends LeatException {
    private static final long serialVersionUID = 1L;

    public GroupClosedException(String group, String state) {
        super("Group " + group + " is closed: it is " + state + ".");
    }

    GroupClosedException(ErrorCode.Told told) {
        super(told.message());
    }
}
