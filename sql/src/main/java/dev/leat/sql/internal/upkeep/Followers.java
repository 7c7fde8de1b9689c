package dev.leat.sql.internal.upkeep;

import dev.leat.error.StorageException;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
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
 * Lets tasks go on that have waited for others, or ends them with those, after the commit of whoever ended the others or put them.
 *
 * <p>A task that a caller puts in his own transaction is looked at by the sweeps of this process until it can be seen. What was forgotten,
 * because a process died between a commit and its look, is found by rounds through all groups that run, some in each sweep. Safe from any thread.
 */
public final class Followers {
    private static final Logger log = LoggerFactory.getLogger(Followers.class);
    private static final int BLOCK = 1_000;
    private static final int GROUPS_PER_SWEEP = 500;
    /** A long chain that ends with its first task must not keep whoever ended that one, or others due, waiting. */
    private static final int TURNS_AFTER_A_COMMIT = 100;

    private static final int TURNS_PER_SWEEP = 200;
    /** For so long a sweep looks for tasks of a caller's transaction. Those of longer ones are found by the rounds. */
    private static final long PATIENCE = Duration.ofMinutes(1).toNanos();

    private static final int MOST_UNSEEN = 10_000;

    private final Db db;
    private final QueueCache cache;
    private final Consumer<UnitOfWork> committed;

    private record Unseen(long group, long since) {}

    /** Tasks that were put in callers' transactions, or whose group is held by one. */
    private final Map<Long, Unseen> unseen = new ConcurrentHashMap<>();

    private boolean isRoundRunning;
    private long lastGroupOfRound;

    /** @param committed called with each turn that may have let tasks go on */
    public Followers(Db db, QueueCache cache, Consumer<UnitOfWork> committed) {
        this.db = db;
        this.cache = cache;
        this.committed = committed;
    }

    private record Some(long group, List<Long> tasks) {}

    /**
     * Looks at what a committed turn concerns; answers whether there is something left for sweeps.
     *
     * @param waitedIn the groups in which tasks wait, as seen after the commit
     */
    public boolean lookAfter(UnitOfWork unit, Set<Long> waitedIn) {
        Map<Long, Set<Long>> ended = new LinkedHashMap<>(unit.dependencies.ended());
        ended.keySet().retainAll(waitedIn);
        if (ended.isEmpty() && unit.dependencies.unsure().isEmpty()) {
            return false;
        }
        try {
            Deque<Some> left = new ArrayDeque<>(followersOf(ended));
            unit.dependencies.unsure().forEach((group, tasks) -> left.add(new Some(group, List.copyOf(tasks))));
            lookAt(left, TURNS_AFTER_A_COMMIT);
        } catch (StorageException e) {
            // What was asked for is done and committed.
            log.warn("Could not look at the tasks that wait for others, a sweep will: {}", e.getMessage());
            beginRound();
            return true;
        }
        return !unseen.isEmpty();
    }

    /** Those that end along the way have followers of their own. What is more than {@code turns} is left to the next sweep. */
    private void lookAt(Deque<Some> left, int turns) {
        for (int i = 0; i < turns && !left.isEmpty(); i++) {
            Some next = left.remove();
            left.addAll(followersOf(letFollow(next)));
        }
        left.forEach(some -> later(Map.of(some.group, Set.copyOf(some.tasks))));
    }

    private record Looked(UnitOfWork unit, boolean wasFree) {}

    /** Answers which tasks have ended by this. */
    private Map<Long, Set<Long>> letFollow(Some some) {
        Looked looked = db.write(Db.Repeat.HARMLESS, tx -> {
            UnitOfWork unit = new UnitOfWork(tx, cache, Dialect.Access.WRITE);
            boolean wasFree = unit.dependencies.letFollow(some.group, some.tasks);
            unit.finish();
            return new Looked(unit, wasFree);
        });
        if (!looked.wasFree) {
            later(Map.of(some.group, Set.copyOf(some.tasks)));
        }
        committed.accept(looked.unit);
        return looked.unit.dependencies.ended();
    }

    private List<Some> followersOf(Map<Long, Set<Long>> ended) {
        List<Some> found = new ArrayList<>();
        ended.forEach((group, ids) -> {
            for (List<Long> block : blocks(ids)) {
                Object list = db.dialect().ids(block);
                List<Long> followers = db.look(tx -> tx.ids("followers", group, list));
                blocks(Set.copyOf(followers)).forEach(some -> found.add(new Some(group, some)));
            }
        });
        return found;
    }

    private static List<List<Long>> blocks(Collection<Long> ids) {
        List<Long> sorted = ids.stream().sorted().toList();
        List<List<Long>> blocks = new ArrayList<>();
        for (int from = 0; from < sorted.size(); from += BLOCK) {
            blocks.add(sorted.subList(from, Math.min(from + BLOCK, sorted.size())));
        }
        return blocks;
    }

    // Sweeps

    /** Tasks that sweeps have to look at, because they cannot be seen or changed yet. */
    public void later(Map<Long, Set<Long>> tasks) {
        long now = System.nanoTime();
        tasks.forEach((group, ids) -> {
            if (unseen.size() < MOST_UNSEEN) {
                ids.forEach(id -> unseen.put(id, new Unseen(group, now)));
            }
        });
    }

    public boolean isAnyUnseen() {
        return !unseen.isEmpty();
    }

    /** Lets the sweeps go through all groups once more, when they are through. */
    public synchronized void beginRound() {
        if (!isRoundRunning) {
            isRoundRunning = true;
            lastGroupOfRound = 0;
        }
    }

    /** Looks again at those that could not be seen, and at the next groups of a round. */
    public void sweep() {
        lookAtUnseen();
        lookForForgotten();
    }

    private void lookAtUnseen() {
        if (unseen.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        Map<Long, List<Long>> seen = new LinkedHashMap<>();
        for (List<Long> block : blocks(unseen.keySet())) {
            Object list = db.dialect().ids(block);
            for (long id : db.look(tx -> tx.ids("task-ends", list, list))) {
                // Forgotten before it is looked at: one that is found held meanwhile stays.
                Unseen one = unseen.remove(id);
                if (one != null) {
                    seen.computeIfAbsent(one.group, group -> new ArrayList<>()).add(id);
                }
            }
        }
        unseen.values().removeIf(one -> now - one.since > PATIENCE);
        lookAt(seen);
    }

    private void lookAt(Map<Long, List<Long>> byGroup) {
        Deque<Some> left = new ArrayDeque<>();
        byGroup.forEach((group, ids) -> left.add(new Some(group, ids)));
        lookAt(left, TURNS_PER_SWEEP);
    }

    private synchronized void lookForForgotten() {
        if (!isRoundRunning) {
            return;
        }
        List<Long> groups = db.look(tx -> tx.ids("open-groups", lastGroupOfRound, GROUPS_PER_SWEEP));
        record Forgotten(long group, long task) {}
        Object list = db.dialect().ids(groups);
        List<Forgotten> found = groups.isEmpty()
                ? List.of()
                : db.look(tx -> tx.list(
                        "forgotten-followers", row -> new Forgotten(row.getLong(1), row.getLong(2)), list, BLOCK));
        if (found.size() < BLOCK) {
            // Otherwise there may be more in the same groups.
            isRoundRunning = groups.size() == GROUPS_PER_SWEEP;
            lastGroupOfRound = groups.isEmpty() ? 0 : groups.get(groups.size() - 1);
        }
        lookAt(found.stream()
                .collect(Collectors.groupingBy(
                        Forgotten::group, Collectors.mapping(Forgotten::task, Collectors.toList()))));
    }
}
