package dev.leat.sql.internal.upkeep;

import dev.leat.error.StorageException;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.work.GroupRows;
import dev.leat.sql.internal.work.UnitOfWork;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the tasks of started groups through their gates, and cancels the tasks of canceled groups. Each block is one transaction, so that a group of
 * a million tasks holds no long lock. The call that starts or cancels a group moves the first blocks, and the sweeps of its process move the rest. If
 * the process dies, other processes find the group by its column "moving".
 *
 * <p>Two processes may move the tasks of one group at the same time. This is harmless: each checks a task again after it has locked the row. Safe
 * from any thread.
 */
public final class GroupMoves {
    private static final Logger log = LoggerFactory.getLogger(GroupMoves.class);
    /** The number of blocks that the call itself moves. */
    private static final int BLOCKS_IN_CALL = 10;

    private final Db db;
    private final QueueCache cache;
    private final Consumer<UnitOfWork> committed;
    /** The groups whose tasks this process moves, and where it goes on. */
    private final ConcurrentNavigableMap<Long, GroupRows.Place> going = new ConcurrentSkipListMap<>();
    /** The group of the last block: the next sweep begins with the group after it. */
    private volatile long latest;
    /** Whether other transactions have locked all groups that are left. */
    private volatile boolean held;

    /** @param committed called after each unit of work that has moved tasks */
    public GroupMoves(Db db, QueueCache cache, Consumer<UnitOfWork> committed) {
        this.db = db;
        this.cache = cache;
        this.committed = committed;
    }

    /** Goes on with the groups that a unit of work has begun. Returns whether tasks are left for sweeps. */
    public boolean goOn(Map<Long, GroupRows.Place> begun) {
        boolean isLeft = false;
        for (Map.Entry<Long, GroupRows.Place> group : begun.entrySet()) {
            going.put(group.getKey(), group.getValue());
            moveSome(group.getKey());
            isLeft |= going.containsKey(group.getKey());
        }
        return isLeft;
    }

    private void moveSome(long id) {
        try {
            // The unit of work that started or canceled the group has moved the first block.
            int blocks = 1;
            while (blocks < BLOCKS_IN_CALL && goOn(id) instanceof GroupRows.Progress.More) {
                blocks++;
            }
        } catch (StorageException e) {
            // The call itself is committed, so it must not fail.
            log.warn("Could not move the tasks of group {}; a sweep goes on: {}", id, e.getMessage());
        }
    }

    /** Moves about {@code limit} tasks, at least one block, of the groups in turn. Locked groups are skipped and do not count. */
    public void goOn(int limit) {
        int left = Math.max(1, limit / GroupRows.TASKS_PER_MOVE);
        boolean isAnyFree = true;
        while (left > 0 && isAnyFree) {
            isAnyFree = false;
            for (Iterator<Long> ids = inTurn().iterator(); ids.hasNext() && left > 0; ) {
                long id = ids.next();
                if (!(goOn(id) instanceof GroupRows.Progress.Held)) {
                    latest = id;
                    left--;
                    isAnyFree = true;
                }
            }
        }
        held = !isAnyFree;
    }

    private List<Long> inTurn() {
        List<Long> ids = new ArrayList<>(going.tailMap(latest, false).keySet());
        ids.addAll(going.headMap(latest, true).keySet());
        return ids;
    }

    /** Adds groups whose process died before all tasks were moved. */
    public void lookForForgotten() {
        db.look(tx -> tx.ids("moving-groups")).forEach(id -> going.putIfAbsent(id, GroupRows.Place.START));
    }

    public boolean isAnyLeft() {
        return !going.isEmpty();
    }

    /** Whether the groups that are left are locked, so that a sweep need not come back at once. */
    public boolean isHeld() {
        return held;
    }

    private GroupRows.Progress goOn(long id) {
        GroupRows.Place from = going.getOrDefault(id, GroupRows.Place.START);
        OwnTransaction<GroupRows.Progress> moved = OwnTransaction.run(db, cache, unit -> unit.groups.goOn(id, from));
        if (moved.result() instanceof GroupRows.Progress.More more) {
            going.put(id, more.place());
        } else if (moved.result() instanceof GroupRows.Progress.Done) {
            going.remove(id);
        }
        committed.accept(moved.unit());
        return moved.result();
    }
}
