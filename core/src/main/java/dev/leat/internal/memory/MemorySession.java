package dev.leat.internal.memory;

import dev.leat.SessionSpec;
import dev.leat.storage.SessionLife;
import java.time.Instant;
import java.util.Map;

/** A consumer's session and the entries it holds. Guarded by the storage's lock. */
final class MemorySession {
    final String id;
    final SessionSpec spec;
    final EntryList held = new EntryList();
    SessionLife life;
    Map<String, Integer> waiting = Map.of();

    MemorySession(String id, SessionSpec spec, Instant now) {
        this.id = id;
        this.spec = spec;
        this.life = SessionLife.begin(spec, now);
    }
}
