package dev.leat.sql.internal.upkeep;

import dev.leat.error.StorageException;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
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
 * Lets the tasks of started groups go, and drops those of canceled ones, a block in each transaction: nobody waits for a group of a million.
 * Whoever started or canceled the group moves the first blocks, sweeps of his process move the rest; should that die, sweeps of others find
 * the group, which says itself that it is not done.
 *
 * <p>Two may move the tasks of one group at the same time. That costs a little and does no harm: each looks at a task again once nobody
 * else can change it. Safe from any thread.
 */
public final class GroupMoves {
    private static final Logger log = LoggerFactory.getLogger(GroupMoves.class);
    /** So many blocks are moved before the call that began it answers. */
    private static final int BLOCKS_AT_ONCE = 10;

    private final Db db;
    private final QueueCache cache;
    private final Consumer<UnitOfWork> committed;
    /** The groups that this process moves the tasks of, and where it goes on. */
    private final ConcurrentNavigableMap<Long, GroupRows.Place> going = new ConcurrentSkipListMap<>();
    /** The group that sweeps have moved a block of last: those behind it come first. */
    private volatile long latest;
    /** Whether nothing can be moved now, because somebody holds the groups. */
    private volatile boolean held;

    /** @param committed called with each turn that has moved tasks */
    public GroupMoves(Db db, QueueCache cache, Consumer<UnitOfWork> committed) {
        this.db = db;
        this.cache = cache;
        this.committed = committed;
    }

    /** Goes on with what a turn has begun; answers whether there is something left for sweeps. */
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
            // The first block was moved by the turn that began.
            int blocks = 1;
            while (blocks < BLOCKS_AT_ONCE && goOn(id) instanceof GroupRows.Progress.More) {
                blocks++;
            }
        } catch (StorageException e) {
            // What was asked for is done and committed.
            log.warn("Could not go on with the tasks of group {}, a sweep will: {}", id, e.getMessage());
        }
    }

    /** Moves about {@code limit} tasks, at least a block, of the groups in turn. One that somebody holds takes nothing from the others. */
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

    /** Finds groups that somebody has begun with who is gone. */
    public void lookForForgotten() {
        db.look(tx -> tx.ids("moving-groups")).forEach(id -> going.putIfAbsent(id, GroupRows.Place.START));
    }

    public boolean isAnyLeft() {
        return !going.isEmpty();
    }

    /** Whether those that are left have to wait for somebody. */
    public boolean isHeld() {
        return held;
    }

    private record Moved(UnitOfWork unit, GroupRows.Progress progress) {}

    private GroupRows.Progress goOn(long id) {
        GroupRows.Place from = going.getOrDefault(id, GroupRows.Place.START);
        Moved moved = db.write(Db.Repeat.HARMLESS, tx -> {
            UnitOfWork unit = new UnitOfWork(tx, cache, Dialect.Access.WRITE);
            GroupRows.Progress progress = unit.groups.goOn(id, from);
            unit.finish();
            return new Moved(unit, progress);
        });
        if (moved.progress instanceof GroupRows.Progress.More more) {
            going.put(id, more.place());
        } else if (moved.progress instanceof GroupRows.Progress.Done) {
            going.remove(id);
        }
        committed.accept(moved.unit);
        return moved.progress;
    }
}
