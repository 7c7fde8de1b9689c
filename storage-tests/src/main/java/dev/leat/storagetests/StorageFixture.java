package dev.leat.storagetests;

import dev.leat.storage.Storage;
import java.time.Duration;

/** Brings a storage under test: fresh and empty, on a clock that the test moves. One fixture serves one test. */
public interface StorageFixture extends AutoCloseable {
    /** The storage; the same one each time. */
    Storage storage();

    /** Moves the clock that the storage lives by. */
    void advance(Duration by);

    /** An empty storage of the same kind that lives by real time, for what has to wait; the caller closes it. */
    Storage inRealTime();

    /**
     * How many tasks or rounds to use in a test that wants {@code many} of them from a storage in memory. One that takes
     * longer for each proves the same with fewer.
     */
    default int enough(int many) {
        return many;
    }

    @Override
    void close();
}
