package dev.leat.storage;

import java.time.Duration;
import java.util.Optional;

/** Named, leased locks that save work, such as one purger in a fleet. Correctness never rests on them. */
public interface Lock {
    /** Takes the lock for {@code lease}, unless somebody else holds it. */
    Optional<Held> tryAcquire(String name, Duration lease);

    /** A lock that is held until it is closed or its lease runs out. */
    interface Held extends AutoCloseable {
        /** Holds it for another lease from now; false when it was lost meanwhile. */
        boolean renew();

        @Override
        void close();
    }
}
