package dev.leat.error;

/** A group of that name has not ended yet. */
public final class GroupExistsException extends LeatException {
    private static final long serialVersionUID = 1L;

    public GroupExistsException(String name) {
        super("A group named '" + name + "' is still running. Names are free again when a group has ended.");
    }

    GroupExistsException(ErrorCode.Told told) {
        super(told.message());
    }
}
