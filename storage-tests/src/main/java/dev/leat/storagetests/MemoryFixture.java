package dev.leat.storagetests;

import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.testkit.ManualClock;
import java.time.Duration;

/** Opens memory storages for the contract suite. */
public final class MemoryFixture implements StorageFixture {
    private final ManualClock clock = new ManualClock();
    private final Storage storage = Storages.open("memory:", StorageSettings.at(clock));

    @Override
    public Storage storage() {
        return storage;
    }

    @Override
    public void advance(Duration by) {
        clock.advance(by);
    }

    @Override
    public Storage inRealTime() {
        return Storages.open("memory:", StorageSettings.standard());
    }

    @Override
    public void close() {
        storage.close();
    }
}
