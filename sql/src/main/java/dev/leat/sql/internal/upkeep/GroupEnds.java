package dev.leat.sql.internal.upkeep;

import dev.leat.error.StorageException;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
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
 * Ends groups that have no work left. Those that a turn may have taken the last task of are looked at after its commit: only
 * then both of two tasks that end at the same moment are seen to be gone.
 *
 * <p>Nobody waits here for a group. A caller who has put a task into the group holds it until his transaction ends, which may
 * take long and bring the task or not; such a group is looked at again by each sweep of this process, and should that die, by
 * the sweeps of others, who look at all groups now and then. Safe from any thread.
 */
public final class GroupEnds {
    private static final Logger log = LoggerFactory.getLogger(GroupEnds.class);

    private final Db db;
    private final QueueCache cache;
    private final Consumer<UnitOfWork> committed;
    /** Groups that somebody else held when they were found without work, or that could not be looked at. */
    private final Set<Long> held = ConcurrentHashMap.newKeySet();

    /** @param committed called with each turn that may have ended a group */
    public GroupEnds(Db db, QueueCache cache, Consumer<UnitOfWork> committed) {
        this.db = db;
        this.cache = cache;
        this.committed = committed;
    }

    /**
     * What a look has found.
     *
     * @param isMore whether there is newly something that has to be looked at again
     * @param waitedIn the groups in which tasks may wait for others
     */
    public record Found(boolean isMore, Set<Long> waitedIn) {}

    /** Ends those of the groups that are over. */
    public Found lookAt(Collection<Long> ids) {
        Deque<Long> left = new ArrayDeque<>(ids);
        Set<Long> waitedIn = new HashSet<>(0);
        boolean isNew = false;
        try {
            while (!left.isEmpty()) {
                long id = left.getFirst();
                Look look = look(id);
                if (look.isWaitedIn) {
                    waitedIn.add(id);
                }
                Optional<Set<Long>> next = look.isOver ? end(id) : Optional.of(Set.of());
                isNew |= next.isEmpty() && held.add(id);
                left.removeFirst();
                // The end of a group may be that of the one it is part of.
                next.ifPresent(left::addAll);
            }
        } catch (StorageException e) {
            // What was asked for is done and committed. One failure is enough: each takes its time.
            log.warn("Could not look whether {} groups have ended, a sweep will: {}", left.size(), e.getMessage());
            isNew |= held.addAll(left);
            waitedIn.addAll(left);
        }
        return new Found(isNew, waitedIn);
    }

    /** Looks again at those that were held. */
    public void lookAgain() {
        List<Long> again = List.copyOf(held);
        // Forgotten before they are looked at: one that is found held meanwhile stays.
        again.forEach(held::remove);
        lookAt(again);
    }

    /** Finds groups that ended unnoticed: a process died between the end of the last task and the look at the group. */
    public void lookAtForgotten() {
        lookAt(db.look(tx -> tx.ids("groups-without-work")));
    }

    public boolean isAnyHeld() {
        return !held.isEmpty();
    }

    private record Look(boolean isOver, boolean isWaitedIn) {}

    /** Most groups go on, and nobody waits in most: one statement says both. */
    private Look look(long id) {
        return db.look(tx -> tx.first("group-progress", row -> new Look(row.getBoolean(1), row.getBoolean(2)), id))
                .orElse(new Look(false, false));
    }

    private record Ended(UnitOfWork unit, boolean wasFree) {}

    /** Answers what is to be looked at next; empty if the group is held by somebody. */
    private Optional<Set<Long>> end(long id) {
        Ended ended = db.write(Db.Repeat.HARMLESS, tx -> {
            UnitOfWork unit = new UnitOfWork(tx, cache, Dialect.Access.WRITE);
            boolean wasFree = unit.groups.endIfFree(id);
            unit.finish();
            return new Ended(unit, wasFree);
        });
        committed.accept(ended.unit);
        return ended.wasFree ? Optional.of(ended.unit.groups.maybeOver()) : Optional.empty();
    }
}
