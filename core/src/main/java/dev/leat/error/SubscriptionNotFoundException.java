package dev.leat.error;

/** There is no such subscription. */
public final class SubscriptionNotFoundException extends LeatException {
    private static final long serialVersionUID = 1L;

    public SubscriptionNotFoundException(String id) {
        super("No subscription '" + id + "'.");
    }

    SubscriptionNotFoundException(ErrorCode.Told told) {
        super(told.message());
    }
}
