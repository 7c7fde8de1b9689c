package dev.leat.sql.internal.upkeep;

import dev.leat.error.StorageException;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.work.UnitOfWork;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends groups that have no work left. A group whose last task a unit of work may have ended is checked after the commit. If two transactions end the
 * last two tasks at the same time, only a check after both commits sees both ends.
 *
 * <p>A check never waits for a lock on a group. A caller's transaction that has put a task into a group locks the group until it ends, which may take
 * long. Each sweep of this process checks such a group again. If this process dies, the sweeps of other processes find the group, because they check
 * all groups at intervals. Safe from any thread.
 */
public final class GroupEnds {
    private static final Logger log = LoggerFactory.getLogger(GroupEnds.class);

    private final Db db;
    private final QueueCache cache;
    private final Consumer<UnitOfWork> committed;
    /** Groups without work that another transaction had locked, or whose check failed. */
    private final Set<Long> held = ConcurrentHashMap.newKeySet();

    /** @param committed called after each unit of work that may have ended a group */
    public GroupEnds(Db db, QueueCache cache, Consumer<UnitOfWork> committed) {
        this.db = db;
        this.cache = cache;
        this.committed = committed;
    }

    /**
     * The result of a check.
     *
     * @param isMore whether groups were added that sweeps have to check again
     * @param waitedIn the groups in which tasks may wait for others
     */
    public record Found(boolean isMore, Set<Long> waitedIn) {}

    /** Ends the groups among these that have no work left. */
    public Found lookAt(Collection<Long> ids) {
        Deque<Long> left = new ArrayDeque<>(ids);
        Set<Long> waitedIn = new HashSet<>(0);
        boolean isNew = false;
        try {
            while (!left.isEmpty()) {
                long id = left.getFirst();
                Check check = check(id);
                if (check.isWaitedIn) {
                    waitedIn.add(id);
                }
                Optional<Set<Long>> next = check.isOver ? end(id) : Optional.of(Set.of());
                isNew |= next.isEmpty() && held.add(id);
                left.removeFirst();
                // The end of a group can end its outer group.
                next.ifPresent(left::addAll);
            }
        } catch (StorageException e) {
            // The call itself is committed, so it must not fail. The first failure ends the check: each failure may
            // take a timeout.
            log.warn(
                    "Could not check whether {} groups have ended; a sweep checks them again: {}",
                    left.size(),
                    e.getMessage());
            isNew |= held.addAll(left);
            waitedIn.addAll(left);
        }
        return new Found(isNew, waitedIn);
    }

    /** Checks the groups again that were locked. */
    public void lookAgain() {
        List<Long> again = List.copyOf(held);
        // Removed before the check, which adds a group again if it is locked.
        again.forEach(held::remove);
        lookAt(again);
    }

    /** Ends groups whose process died between the end of the last task and the check of the group. */
    public void lookAtForgotten() {
        lookAt(db.look(tx -> tx.ids("groups-without-work")));
    }

    public boolean isAnyHeld() {
        return !held.isEmpty();
    }

    private record Check(boolean isOver, boolean isWaitedIn) {}

    /** One statement answers both questions, because the answer to both is "no" for most groups. */
    private Check check(long id) {
        return db.look(tx -> tx.first("group-progress", row -> new Check(row.getBoolean(1), row.getBoolean(2)), id))
                .orElse(new Check(false, false));
    }

    /** Ends a group and returns the groups to check next; empty if another transaction has locked the group. */
    private Optional<Set<Long>> end(long id) {
        OwnTransaction<Boolean> ended = OwnTransaction.run(db, cache, unit -> unit.groups.endIfFree(id));
        committed.accept(ended.unit());
        return ended.result() ? Optional.of(ended.unit().groups.maybeOver()) : Optional.empty();
    }
}
