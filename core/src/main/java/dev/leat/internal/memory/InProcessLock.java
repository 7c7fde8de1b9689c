package dev.leat.internal.memory;

import dev.leat.storage.Lock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The leased locks of one memory storage. */
final class InProcessLock implements Lock {
    private final InstantSource clock;
    private final Map<String, Lease> leases = new HashMap<>();

    InProcessLock(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public synchronized Optional<Held> tryAcquire(String name, Duration duration) {
        Lease current = leases.get(name);
        if (current != null && clock.instant().isBefore(current.until)) {
            return Optional.empty();
        }
        Lease lease = new Lease(name, duration, clock.instant().plus(duration));
        leases.put(name, lease);
        return Optional.of(lease);
    }

    private final class Lease implements Held {
        private final String name;
        private final Duration duration;
        private Instant until;

        Lease(String name, Duration duration, Instant until) {
            this.name = name;
            this.duration = duration;
            this.until = until;
        }

        @Override
        public boolean renew() {
            synchronized (InProcessLock.this) {
                Instant now = clock.instant();
                boolean held = leases.get(name) == this && now.isBefore(until);
                if (held) {
                    until = now.plus(duration);
                }
                return held;
            }
        }

        @Override
        public void close() {
            synchronized (InProcessLock.this) {
                leases.remove(name, this);
            }
        }
    }
}
