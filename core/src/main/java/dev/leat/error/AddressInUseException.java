package dev.leat.error;

/** Another live task of the queue has the address. */
public final class AddressInUseException extends LeatException {
    private static final long serialVersionUID = 1L;

    public AddressInUseException(String queue, String address, long holder) {
        super("Address '" + address + "' in queue '" + queue + "' belongs to task " + holder + " by now.");
    }

    AddressInUseException(ErrorCode.Told told) {
        super(told.message());
    }
}
