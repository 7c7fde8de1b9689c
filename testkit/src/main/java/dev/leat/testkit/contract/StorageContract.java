package dev.leat.testkit.contract;

import dev.leat.testkit.StorageFixture;

/** The whole contract: a storage's test class extends this and says how to open one. */
public abstract class StorageContract {
    protected abstract StorageFixture newFixture();
}
