package dev.leat.sql.internal.peers;

import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.storage.Notice;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Neighbours that are told by NOTIFY (rule 32). What there is to tell is gathered for a millisecond and sent by one thread,
 * outside of everybody's transaction, because NOTIFY lets commits happen only one after the other. Only a put that comes alone
 * after a silence tells of itself (ADR 11).
 *
 * <p>A message is {@code <sender> <kind> <words>}; the sender's own come back to it too and are dropped. It is far shorter
 * than the 8000 bytes that PostgreSQL allows, since the names in it are.
 */
abstract class PostgresNotifier implements Peers {
    private static final Logger log = LoggerFactory.getLogger(PostgresNotifier.class);
    private static final String TIMER = "timer";
    private static final long GATHER_MILLIS = 1;
    private static final long STOP_MILLIS = 5_000;

    private final Db db;
    private final String channel;
    private final String sender =
            Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), Character.MAX_RADIX);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();
    /** What is to be told, each once; fresh rows with the lowest id. */
    private final Map<String, Optional<Long>> untold = new LinkedHashMap<>();

    private final Announcing announcing = new Announcing(System.nanoTime());

    private @Nullable Thread notifier;
    private boolean closed;

    PostgresNotifier(Db db, Tables tables) {
        this.db = db;
        this.channel = tables.channel();
    }

    final String channel() {
        return channel;
    }

    final String sender() {
        return sender;
    }

    @Override
    public final void tell(Notice notice) {
        if (notice instanceof Notice.Ready ready) {
            tell("ready " + ready.queue());
        } else if (notice instanceof Notice.Paused paused) {
            tell("paused " + paused.queue());
        } else if (notice instanceof Notice.SessionNews news) {
            tell("session " + news.session());
        } else if (notice instanceof Notice.TaskNews news) {
            tell("task " + news.taskId());
        } else {
            tell(TIMER);
        }
    }

    final void tell(String words) {
        add(words, Optional.empty());
    }

    @Override
    public final void tellFresh(String queue, int priority, long id) {
        add(fresh(queue, priority), Optional.of(id));
    }

    private static String fresh(String queue, int priority) {
        return "fresh " + queue + " " + priority;
    }

    /** A task that is put alone is heard of sooner, by the time of another transaction. */
    @Override
    public final Optional<Announcement> announceFresh(String queue, int priority) {
        return announcing.begin(System.nanoTime())
                ? Optional.of(new Announcement(channel, sender + " " + fresh(queue, priority) + " "))
                : Optional.empty();
    }

    @Override
    public final void announced(long nanos) {
        announcing.end(System.nanoTime(), nanos);
    }

    @Override
    public final void tellFresh(Tx transaction, String queue, int priority, long id) {
        tellSleepers(transaction, queue, fresh(queue, priority) + " " + id);
    }

    @Override
    public final void tellTimer(Tx transaction, String queue) {
        tellSleepers(transaction, queue, TIMER);
    }

    /** The message has no sender: this process does not know of the commit either. */
    private void tellSleepers(Tx transaction, String queue, String words) {
        transaction.list("notify-waiters", row -> 1, channel, "- " + words, queue);
    }

    private void add(String words, Optional<Long> id) {
        lock.lock();
        try {
            announcing.told(System.nanoTime());
            untold.merge(words, id, (a, b) -> a.flatMap(first -> b.map(second -> Math.min(first, second))));
            more.signalAll();
            if (notifier == null && !closed) {
                notifier = start("leat-notifier", this::notifyOthers);
            }
        } finally {
            lock.unlock();
        }
    }

    private void notifyOthers() {
        boolean isMore = true;
        while (isMore) {
            try {
                List<String> messages = nextMessages();
                isMore = !messages.isEmpty();
                if (isMore) {
                    db.atOnce(
                            Db.Repeat.HARMLESS,
                            tx -> tx.list("notify", row -> 1, channel, messages.toArray(new String[0])));
                    TimeUnit.MILLISECONDS.sleep(GATHER_MILLIS);
                }
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                log.debug("Could not tell other processes, who will find out by polling: {}", e.toString());
            }
        }
    }

    /** Waits for something to tell; empty when closed and all was told. */
    private List<String> nextMessages() throws InterruptedException {
        lock.lock();
        try {
            while (untold.isEmpty() && !closed) {
                more.await();
            }
            List<String> messages = untold.entrySet().stream()
                    .map(entry -> sender + " " + entry.getKey()
                            + entry.getValue().map(id -> " " + id).orElse(""))
                    .toList();
            untold.clear();
            return messages;
        } finally {
            lock.unlock();
        }
    }

    static Thread thread(String name, Runnable run) {
        Thread thread = new Thread(run, name);
        thread.setDaemon(true);
        return thread;
    }

    static Thread start(String name, Runnable run) {
        Thread thread = thread(name, run);
        thread.start();
        return thread;
    }

    /** Waits for the end of a thread, but not for long. */
    static void end(@Nullable Thread thread) {
        try {
            if (thread != null && thread != Thread.currentThread()) {
                thread.join(STOP_MILLIS);
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when all is told. */
    @Override
    public void close() {
        Thread running;
        lock.lock();
        try {
            closed = true;
            running = notifier;
            more.signalAll();
        } finally {
            lock.unlock();
        }
        end(running);
    }
}
