package dev.leat.storage;

/** For storages: what a publication says when its copies were put. */
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
