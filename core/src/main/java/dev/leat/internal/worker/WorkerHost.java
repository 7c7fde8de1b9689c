package dev.leat.internal.worker;

import dev.leat.Leat;
import dev.leat.internal.waiting.Dispatcher;
import dev.leat.internal.waiting.Heartbeat;
import dev.leat.worker.Worker;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * What a Leat gives to its workers.
 *
 * @param workers the running workers of the Leat, which stops them when it closes
 * @param isClosing whether the Leat has begun to close; after that, it stops no further workers
 */
public record WorkerHost(
        Leat leat,
        Dispatcher dispatcher,
        Heartbeat heartbeat,
        List<Worker> workers,
        BooleanSupplier isClosing,
        TransactionEnd transactionEnd) {}
