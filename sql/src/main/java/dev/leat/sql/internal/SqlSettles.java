package dev.leat.sql.internal;

import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.sql.internal.fast.FastPath;
import dev.leat.sql.internal.operation.Settling;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Settles silent acks by the fast path, and everything else in one unit of work. */
final class SqlSettles {
    private final UnitRunner units;
    private final @Nullable FastPath fastPath;

    SqlSettles(UnitRunner units, @Nullable FastPath fastPath) {
        this.units = units;
        this.fastPath = fastPath;
    }

    List<SettleResult> settle(List<Settle> settles) {
        if (fastPath == null) {
            return units.writeAgain(unit -> new Settling(unit).settle(settles));
        }
        units.catchUpIfSweeperIsLate();
        Map<Long, SettleResult> acked =
                fastPath.ack(Settling.silentAcks(settles).values());
        List<Settle> others = settles.stream()
                .filter(settle -> !acked.containsKey(settle.lease().taskId()))
                .toList();
        Iterator<SettleResult> rest = others.isEmpty()
                ? Collections.emptyIterator()
                : units.writeAgain(unit -> new Settling(unit).settle(others)).iterator();
        return settles.stream()
                .map(settle -> {
                    SettleResult result = acked.get(settle.lease().taskId());
                    return result != null ? result : rest.next();
                })
                .toList();
    }
}
