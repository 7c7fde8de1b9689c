package dev.leat.sql.internal;

import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueStats;
import dev.leat.queue.TenantStats;
import dev.leat.sql.internal.operation.Lookups;
import dev.leat.sql.internal.operation.Operators;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.upkeep.Partitions;
import dev.leat.sql.internal.work.TaskCounts;
import dev.leat.storage.QueueStorage;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The queues of an SQL storage. */
final class SqlQueues implements QueueStorage {
    private final UnitRunner units;
    private final @Nullable Partitions partitions;

    SqlQueues(UnitRunner units, @Nullable Partitions partitions) {
        this.units = units;
        this.partitions = partitions;
    }

    @Override
    public QueueInfo create(String queue, QueueOptions options) {
        return prepared(units.write(unit -> unit.queues.create(queue, options).info()));
    }

    @Override
    public QueueInfo declare(String queue, QueueOptions options, QueueInfo.SetBy setBy) {
        return prepared(units.writeAgain(
                unit -> unit.queues.declare(queue, options, setBy).info()));
    }

    private QueueInfo prepared(QueueInfo queue) {
        if (partitions != null) {
            partitions.prepare(queue.options().retention());
        }
        return queue;
    }

    @Override
    public Optional<QueueInfo> find(String queue) {
        return units.read(unit -> Optional.ofNullable(unit.queues.find(queue)).map(QueueRow::info));
    }

    @Override
    public List<QueueInfo> list() {
        return units.read(unit -> unit.queues.all().stream().map(QueueRow::info).toList());
    }

    @Override
    public void pause(String queue) {
        units.runAgain(unit -> unit.queues.pause(queue));
    }

    @Override
    public void resume(String queue) {
        units.runAgain(unit -> unit.queues.resume(queue));
    }

    @Override
    public void drop(String queue) {
        units.run(unit -> new Operators(unit).drop(queue));
    }

    @Override
    public long truncate(String queue) {
        return units.write(unit -> new Operators(unit).truncate(queue));
    }

    @Override
    public long releaseAll(String queue) {
        return units.write(unit -> new Operators(unit).releaseAll(queue));
    }

    @Override
    public List<QueueStats> stats() {
        return units.read(unit -> new Lookups(unit).stats());
    }

    @Override
    public QueueStats stats(String queue) {
        return units.read(unit -> new TaskCounts(unit).stats(unit.queues.get(queue)));
    }

    @Override
    public List<TenantStats> tenantStats(String queue) {
        return units.read(unit -> new TaskCounts(unit).tenantStats(unit.queues.get(queue)));
    }
}
