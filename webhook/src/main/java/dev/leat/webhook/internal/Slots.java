package dev.leat.webhook.internal;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Counts running deliveries by name, up to a limit. An unused name takes no memory. */
final class Slots {
    private final int most;
    private final ConcurrentMap<String, Integer> used = new ConcurrentHashMap<>();

    Slots(int most) {
        this.most = most;
    }

    /** Whether there was room. */
    boolean take(String name) {
        boolean[] taken = new boolean[1];
        used.compute(name, (key, count) -> {
            int now = count == null ? 0 : count;
            taken[0] = now < most;
            return taken[0] ? now + 1 : now;
        });
        return taken[0];
    }

    void giveBack(String name) {
        used.computeIfPresent(name, (key, count) -> count == 1 ? null : count - 1);
    }

    int names() {
        return used.size();
    }
}
