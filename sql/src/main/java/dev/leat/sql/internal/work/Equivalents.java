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
 * Finds equivalent tasks, within one unit of work, and keeps other transactions from putting an equivalent one until the commit.
 *
 * <p>Where other processes can write, a put with {@code unlessEquivalent} first writes a row that is named by the hash of the task, and then searches
 * again. The row is among the idempotency keys, under the negative id of the queue, and is purged with them. Advisory locks of PostgreSQL would not
 * do. A large put would fill the server's lock table. A transaction at REPEATABLE READ would get the lock without seeing the put of the last holder.
 */
public final class Equivalents {
    /** For this time the row shows a caller's transaction that it began too early to see the last put. */
    private static final long HOLD_MICROS = Times.micros(Duration.ofMinutes(10));

    private final UnitOfWork unit;
    private final Tx tx;

    public Equivalents(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
    }

    /** The equivalent tasks, in the order of their ids. */
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

    /** Keeps other transactions from putting equivalents of the tasks with {@code unlessEquivalent}. Most puts have none. */
    public void hold(Collection<NewTask> tasks) {
        if (!tx.dialect().hasOtherWriters()) {
            return;
        }
        SortedSet<HoldName> names = new TreeSet<>();
        for (NewTask task : tasks) {
            Optional<Equivalence> equivalence = task.unlessEquivalent();
            // If an equivalent task exists, the put returns it, and no row is needed.
            if (equivalence.isPresent() && find(equivalence.get()).findFirst().isEmpty()) {
                names.add(holdName(task));
            }
        }
        if (!names.isEmpty()) {
            tx.dialect().notWaitingLong(tx, () -> {
                names.forEach(this::hold); // in one order in all processes, so that no deadlock comes
                return names;
            });
        }
    }

    /**
     * A transaction at REPEATABLE READ may not see the latest commits. PostgreSQL then refuses to change the row. MariaDB changes the row only
     * if it is as this transaction has read it, and otherwise reads the old row again.
     */
    private void hold(HoldName name) {
        long seen = heldUntil(name);
        long until = unit.now + HOLD_MICROS;
        tx.update("hold-equivalence", name.queue, name.name, until, seen);
        long held = heldUntil(name);
        if (held != until && held == seen) {
            throw new EquivalentInDoubtException(
                    "An equivalent task was put after this transaction began, so this transaction cannot see it; begin"
                            + " the transaction again, or set READ COMMITTED on the connection");
        }
    }

    private long heldUntil(HoldName name) {
        return tx.number("held-equivalence", name.queue, name.name);
    }

    /** The key of the row: the negative id of the queue, and the hash of the task. */
    private record HoldName(long queue, String name) implements Comparable<HoldName> {
        @Override
        public int compareTo(HoldName other) {
            return Comparator.comparingLong(HoldName::queue)
                    .thenComparing(HoldName::name)
                    .compare(this, other);
        }
    }

    private HoldName holdName(NewTask task) {
        return new HoldName(-unit.queues.get(task.queue()).id(), EquivalenceHash.of(task));
    }
}
