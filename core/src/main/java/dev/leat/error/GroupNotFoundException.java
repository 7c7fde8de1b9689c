package dev.leat.error;

/** There is no such group. */
public final class GroupNotFoundException extends LeatException {
    private static final long serialVersionUID = 1L;

    public GroupNotFoundException(String group) {
        super("No group " + group + ".");
    }

    GroupNotFoundException(ErrorCode.Told told) {
        super(told.message());
    }
}
