package dev.leat.storagetests;

import dev.leat.storage.Storage;
import java.time.Duration;

/** Opens the storage under test: empty, on a clock that the test moves. Each test has a fixture of its own. */
public interface StorageFixture extends AutoCloseable {
    /** The storage under test; the same object at each call. */
    Storage storage();

    /** Moves the clock of the storage. */
    void advance(Duration by);

    /** Opens another empty storage of the same kind on the real clock, for tests with threads; the caller closes it. */
    Storage inRealTime();

    /**
     * How many tasks or rounds a large test uses. A test uses {@code many} of them in memory; a slower storage proves the
     * same rule with fewer.
     */
    default int enough(int many) {
        return many;
    }

    @Override
    void close();
}
