package dev.leat.storage;

import java.time.Duration;
import java.util.Optional;

/**
 * Named locks with leases, which save work, such as one purge in a fleet. No promise depends on them. {@link dev.leat.storage} says how stable
 * this interface is.
 */
public interface Lock {
    /** Takes the lock for {@code lease}; empty if another holder has it. */
    Optional<Held> tryAcquire(String name, Duration lease);

    /** A lock that is held until its close or the end of its lease. */
    interface Held extends AutoCloseable {
        /** Extends the lease, counted from now; false if the lock is lost. */
        boolean renew();

        @Override
        void close();
    }
}
