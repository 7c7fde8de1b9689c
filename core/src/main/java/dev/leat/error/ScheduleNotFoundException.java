package dev.leat.error;

/** There is no such schedule. */
public final class ScheduleNotFoundException extends LeatException {
    private static final long serialVersionUID = 1L;

    public ScheduleNotFoundException(String name) {
        super("No schedule '" + name + "'.");
    }

    ScheduleNotFoundException(ErrorCode.Told told) {
        super(told.message());
    }
}
