package dev.leat.storagetests;

import dev.leat.storagetests.worker.HandlerTransactionContract;
import org.junit.jupiter.api.Nested;

/** What a storage must do that gives handlers a transaction. */
public abstract class TransactionalStorageContract extends StorageContract {

    @Nested
    class HandlerTransactions extends HandlerTransactionContract {
        @Override
        protected StorageFixture newFixture() {
            return TransactionalStorageContract.this.newFixture();
        }
    }
}
