package dev.leat.error;

/** The session is unknown, closed, or was silent for too long; its leases are lost. */
public final class SessionEndedException extends LeatException {
    private static final long serialVersionUID = 1L;
    private static final String ADVICE = " Open a new one.";

    public SessionEndedException(String session) {
        super("Session " + session + " has ended.", ADVICE);
    }

    SessionEndedException(ErrorCode.Told told) {
        super(told.message(), ADVICE);
    }
}
