package dev.leat;

/** The session is unknown, closed, or was silent for too long; its leases are lost. */
public final class SessionEndedException extends LeatException {
    private static final long serialVersionUID = 1L;

    public SessionEndedException(String session) {
        super("Session " + session + " has ended. Open a new one.");
    }

    SessionEndedException(Refusal.Told told) {
        super(told.message());
    }
}
