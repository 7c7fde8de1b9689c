package dev.leat.sql.internal.work;

import dev.leat.Equivalence;
import dev.leat.NewTask;
import dev.leat.error.EquivalentInDoubtException;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.storage.EquivalenceHash;
import dev.leat.storage.Hashes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Tasks that do the same, within one unit of work: finds them, and keeps others from putting another one until the turn is over.
 *
 * <p>Where others can write at the same time, whoever is going to put a task unless there is an equivalent writes a row that is
 * called like what the task does, and looks again once he has it. The row is among the idempotency keys, under the negative number
 * of the queue, and purged with them. Not an advisory lock of PostgreSQL: a large put would fill the server's table of locks, and a
 * transaction at REPEATABLE READ would get the lock and still not see what its last holder has put.
 */
public final class Equivalents {
    /** So long the row can tell a transaction of a caller's that it has begun too early to see the last put. */
    private static final long HELD_KNOWN = Times.micros(Duration.ofMinutes(10));

    private final UnitOfWork unit;
    private final Tx tx;

    public Equivalents(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
    }

    /** By their ids. */
    public Stream<TaskRow> find(Equivalence equivalence) {
        NewTask like = equivalence.task();
        long queue = unit.queues.get(like.queue()).id();
        String externalKey = like.externalKey().orElseThrow();
        String hash = Hashes.sha256(like.payload().bytes());
        unit.tasks.flush();
        List<TaskRow> found = new ArrayList<>(tx.list("equivalent-live", unit.rows::live, queue, externalKey, hash));
        found.addAll(tx.list("equivalent-finished", unit.rows::finished, queue, externalKey, hash, unit.now));
        return found.stream()
                .filter(row -> equivalence.states().contains(row.state.task) && equivalence.isDoneBy(row.given))
                .sorted(Comparator.comparingLong(row -> row.id));
    }

    /** Keeps others from putting what some of the tasks are not to be put beside. Most puts have none of these. */
    public void hold(Collection<NewTask> tasks) {
        if (!tx.dialect().hasOtherWriters()) {
            return;
        }
        SortedSet<Deed> deeds = new TreeSet<>();
        for (NewTask task : tasks) {
            Optional<Equivalence> equivalence = task.unlessEquivalent();
            // Whoever finds one has his answer, and need not write anything.
            if (equivalence.isPresent() && find(equivalence.get()).findFirst().isEmpty()) {
                deeds.add(deed(task));
            }
        }
        if (!deeds.isEmpty()) {
            tx.dialect().notWaitingLong(tx, () -> {
                deeds.forEach(this::hold); // all in the same order, so that no two wait for each other
                return deeds;
            });
        }
    }

    /**
     * A transaction at REPEATABLE READ may not see what is committed by now. PostgreSQL refuses to change the row then; MariaDB
     * changes it, but only if it is as we have seen it, and shows us the old one otherwise.
     */
    private void hold(Deed deed) {
        long seen = heldUntil(deed);
        long until = unit.now + HELD_KNOWN;
        tx.update("hold-equivalence", deed.queue, deed.name, until, seen);
        long held = heldUntil(deed);
        if (held != until && held == seen) {
            throw new EquivalentInDoubtException(
                    "An equivalent task was put after this transaction began, which therefore cannot see it; begin it"
                            + " anew, or set READ COMMITTED on the connection");
        }
    }

    private long heldUntil(Deed deed) {
        return tx.number("held-equivalence", deed.queue, deed.name);
    }

    /** What a task does, by a short name. */
    private record Deed(long queue, String name) implements Comparable<Deed> {
        @Override
        public int compareTo(Deed other) {
            return Comparator.comparingLong(Deed::queue)
                    .thenComparing(Deed::name)
                    .compare(this, other);
        }
    }

    private Deed deed(NewTask task) {
        return new Deed(-unit.queues.get(task.queue()).id(), EquivalenceHash.of(task));
    }
}
