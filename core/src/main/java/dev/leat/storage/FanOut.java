package dev.leat.storage;

/** For storages: the message of a publication after its fan-out. */
public final class FanOut {
    private FanOut() {}

    public static String message(int copies) {
        return switch (copies) {
            case 0 -> "nobody has subscribed: nothing was put";
            case 1 -> "put for 1 subscriber";
            default -> "put for " + copies + " subscribers";
        };
    }
}
