package dev.leat.sql.internal.upkeep;

import dev.leat.error.StorageException;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.work.UnitOfWork;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves on, or cancels, tasks whose predecessors have ended. A process does so after each commit that ended predecessors or put followers.
 *
 * <p>A follower that was put in a caller's transaction is checked by the sweeps of this process until the transaction has committed. If a process
 * dies between a commit and its check, rounds through all running groups, some groups in each sweep, find the followers. Safe from any thread.
 */
public final class Followers {
    private static final Logger log = LoggerFactory.getLogger(Followers.class);
    /** The number of tasks that one statement or transaction checks. */
    private static final int TASKS_PER_CHECK = 1_000;

    private static final int GROUPS_PER_SWEEP = 500;
    /** Bounds the transactions after a commit, so that a long chain that ends with its first task does not delay the call. */
    private static final int MAX_BLOCKS_AFTER_COMMIT = 100;

    private static final int MAX_BLOCKS_PER_SWEEP = 200;
    /** For this time, sweeps check for tasks of a caller's transaction. Tasks of longer transactions are found by the rounds. */
    private static final long PATIENCE = Duration.ofMinutes(1).toNanos();

    private static final int MAX_UNSEEN = 10_000;

    private final Db db;
    private final QueueCache cache;
    private final Consumer<UnitOfWork> committed;

    private record Unseen(long group, long since) {}

    /** Tasks that were put in a caller's transaction, or whose group is locked by one. */
    private final Map<Long, Unseen> unseen = new ConcurrentHashMap<>();

    private boolean isRoundRunning;
    private long lastGroupOfRound;

    /** @param committed called after each unit of work that may have moved tasks on */
    public Followers(Db db, QueueCache cache, Consumer<UnitOfWork> committed) {
        this.db = db;
        this.cache = cache;
        this.committed = committed;
    }

    /** Tasks of one group that one transaction checks. */
    private record Block(long group, List<Long> tasks) {}

    /**
     * Checks the followers after a commit. Returns whether tasks are left for sweeps.
     *
     * @param waitedIn the groups in which tasks wait for others, as read after the commit
     */
    public boolean lookAfter(UnitOfWork unit, Set<Long> waitedIn) {
        Map<Long, Set<Long>> ended = new LinkedHashMap<>(unit.dependencies.ended());
        ended.keySet().retainAll(waitedIn);
        if (ended.isEmpty() && unit.dependencies.unsure().isEmpty()) {
            return false;
        }
        try {
            Deque<Block> left = new ArrayDeque<>(followersOf(ended));
            unit.dependencies.unsure().forEach((group, tasks) -> left.add(new Block(group, List.copyOf(tasks))));
            check(left, MAX_BLOCKS_AFTER_COMMIT);
        } catch (StorageException e) {
            // The call itself is committed, so it must not fail.
            log.warn("Could not check the tasks that wait for others; a sweep checks them again: {}", e.getMessage());
            beginRound();
            return true;
        }
        return !unseen.isEmpty();
    }

    /** Tasks that end by a check have followers of their own. After {@code maxBlocks} blocks, the rest is left to the next sweep. */
    private void check(Deque<Block> left, int maxBlocks) {
        for (int i = 0; i < maxBlocks && !left.isEmpty(); i++) {
            Block next = left.remove();
            left.addAll(followersOf(letFollow(next)));
        }
        left.forEach(block -> later(Map.of(block.group, Set.copyOf(block.tasks))));
    }

    /** Checks a block and returns the tasks that have ended by this, by group. */
    private Map<Long, Set<Long>> letFollow(Block block) {
        OwnTransaction<Boolean> checked =
                OwnTransaction.run(db, cache, unit -> unit.dependencies.letFollow(block.group, block.tasks));
        boolean wasFree = checked.result();
        if (!wasFree) {
            later(Map.of(block.group, Set.copyOf(block.tasks)));
        }
        committed.accept(checked.unit());
        return checked.unit().dependencies.ended();
    }

    private List<Block> followersOf(Map<Long, Set<Long>> ended) {
        List<Block> found = new ArrayList<>();
        ended.forEach((group, ids) -> {
            for (List<Long> block : blocks(ids)) {
                Object list = db.dialect().ids(block);
                List<Long> followers = db.look(tx -> tx.ids("followers", group, list));
                blocks(Set.copyOf(followers)).forEach(some -> found.add(new Block(group, some)));
            }
        });
        return found;
    }

    private static List<List<Long>> blocks(Collection<Long> ids) {
        List<Long> sorted = ids.stream().sorted().toList();
        List<List<Long>> blocks = new ArrayList<>();
        for (int from = 0; from < sorted.size(); from += TASKS_PER_CHECK) {
            blocks.add(sorted.subList(from, Math.min(from + TASKS_PER_CHECK, sorted.size())));
        }
        return blocks;
    }

    // Sweeps

    /** Leaves tasks to sweeps, because they cannot be read or changed yet. */
    public void later(Map<Long, Set<Long>> tasks) {
        long now = System.nanoTime();
        tasks.forEach((group, ids) -> {
            if (unseen.size() < MAX_UNSEEN) {
                ids.forEach(id -> unseen.put(id, new Unseen(group, now)));
            }
        });
    }

    public boolean isAnyUnseen() {
        return !unseen.isEmpty();
    }

    /** Starts a round through all groups, unless one is running. */
    public synchronized void beginRound() {
        if (!isRoundRunning) {
            isRoundRunning = true;
            lastGroupOfRound = 0;
        }
    }

    /** Checks the tasks that were left to sweeps, and the next groups of the round. */
    public void sweep() {
        checkUnseen();
        checkNextGroups();
    }

    private void checkUnseen() {
        if (unseen.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        Map<Long, List<Long>> seen = new LinkedHashMap<>();
        for (List<Long> block : blocks(unseen.keySet())) {
            Object list = db.dialect().ids(block);
            for (long id : db.look(tx -> tx.ids("task-ends", list, list))) {
                // Removed before the check, which adds it again if its group is locked.
                Unseen one = unseen.remove(id);
                if (one != null) {
                    seen.computeIfAbsent(one.group, group -> new ArrayList<>()).add(id);
                }
            }
        }
        unseen.values().removeIf(one -> now - one.since > PATIENCE);
        check(seen);
    }

    private void check(Map<Long, List<Long>> byGroup) {
        Deque<Block> left = new ArrayDeque<>();
        byGroup.forEach((group, ids) -> left.add(new Block(group, ids)));
        check(left, MAX_BLOCKS_PER_SWEEP);
    }

    private synchronized void checkNextGroups() {
        if (!isRoundRunning) {
            return;
        }
        List<Long> groups = db.look(tx -> tx.ids("open-groups", lastGroupOfRound, GROUPS_PER_SWEEP));
        record Forgotten(long group, long task) {}
        Object list = db.dialect().ids(groups);
        List<Forgotten> found = groups.isEmpty()
                ? List.of()
                : db.look(tx -> tx.list(
                        "forgotten-followers",
                        row -> new Forgotten(row.getLong(1), row.getLong(2)),
                        list,
                        TASKS_PER_CHECK));
        if (found.size() < TASKS_PER_CHECK) {
            // A full block means that the same groups may have more.
            isRoundRunning = groups.size() == GROUPS_PER_SWEEP;
            lastGroupOfRound = groups.isEmpty() ? 0 : groups.get(groups.size() - 1);
        }
        check(found.stream()
                .collect(Collectors.groupingBy(
                        Forgotten::group, Collectors.mapping(Forgotten::task, Collectors.toList()))));
    }
}
