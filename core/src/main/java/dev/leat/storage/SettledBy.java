package dev.leat.storage;

import dev.leat.Settle;

/** The kind of settle that ended a delivery, to recognise a repeated settle. */
public enum SettledBy {
    NOTHING(0),
    ACK(1),
    FAIL(2),
    RETRY(3),
    RELEASE(4),
    BURY(5),
    GIVE_BACK(6),
    CANCEL(7);

    private final int code;

    SettledBy(int code) {
        this.code = code;
    }

    /** The number that storages write; never changes. */
    public int code() {
        return code;
    }

    public static SettledBy of(int code) {
        return values()[code];
    }

    public static SettledBy of(Settle settle) {
        if (settle instanceof Settle.Ack) {
            return ACK;
        } else if (settle instanceof Settle.Fail) {
            return FAIL;
        } else if (settle instanceof Settle.Retry) {
            return RETRY;
        } else if (settle instanceof Settle.Release) {
            return RELEASE;
        } else if (settle instanceof Settle.Bury) {
            return BURY;
        } else if (settle instanceof Settle.Cancel) {
            return CANCEL;
        }
        return GIVE_BACK;
    }
}
