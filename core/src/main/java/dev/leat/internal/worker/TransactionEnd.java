package dev.leat.internal.worker;

import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.storage.HandlerTransaction;

/** Settles a task in its handler's transaction, commits, and tells the listeners. */
@FunctionalInterface
public interface TransactionEnd {
    SettleResult commit(HandlerTransaction transaction, Settle settle);
}
