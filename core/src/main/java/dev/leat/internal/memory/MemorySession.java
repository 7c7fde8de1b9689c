package dev.leat.internal.memory;

import dev.leat.SessionSpec;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A consumer's session and the entries it holds. Guarded by the storage's lock. */
final class MemorySession {
    final String id;
    final SessionSpec spec;
    final EntryList held = new EntryList();
    Instant heard;

    @Nullable
    Instant disconnected;

    Map<String, Integer> waiting = Map.of();

    MemorySession(String id, SessionSpec spec, Instant now) {
        this.id = id;
        this.spec = spec;
        this.heard = now;
    }

    /** When the session ends unless it is heard of before. */
    Instant endsAt() {
        return disconnected == null ? heard.plus(spec.deadAfter()) : disconnected.plus(spec.grace());
    }

    /** A heartbeat from the future, left by a clock that was set back, counts as one from now. */
    void forgetFuture(Instant now) {
        if (heard.isAfter(now)) {
            heard = now;
        }
        if (disconnected != null && disconnected.isAfter(now)) {
            disconnected = now;
        }
    }
}
