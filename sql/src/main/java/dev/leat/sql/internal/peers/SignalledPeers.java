package dev.leat.sql.internal.peers;

import dev.leat.Registration;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.storage.Notice;
import dev.leat.storage.Signal;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Neighbours that are told by a server's signal too, beside whatever the database does. One thread sends it and gathers for a
 * millisecond, so that many puts are one notice. Our own notices come back from the server, and cost a look for nothing.
 *
 * <p>News of single tasks are not told by the server, which would tell all its clients of each: who waits for one looks for himself.
 *
 * <p>What is put in a caller's transaction is not told by the server: nobody here learns of its commit.
 */
public final class SignalledPeers implements Peers {
    private static final Logger log = LoggerFactory.getLogger(SignalledPeers.class);
    private static final long GATHER_MILLIS = 1;
    private static final long STOP_MILLIS = 1_000;

    private final Peers database;
    private final Signal signal;
    private final Registration listening;
    private final Set<Notice> untold = ConcurrentHashMap.newKeySet();
    /** Once closed, it drops what comes. */
    private final ScheduledExecutorService teller = new ScheduledThreadPoolExecutor(
            1, run -> PostgresNotifier.thread("leat-signals", run), new ThreadPoolExecutor.DiscardPolicy());

    public SignalledPeers(Peers database, Signal signal, Hearer hearer) {
        this.database = database;
        this.signal = signal;
        this.listening = signal.listen(hearer::hear);
    }

    @Override
    public void listen() {
        database.listen();
    }

    @Override
    public void tell(Notice notice) {
        database.tell(notice);
        if (!(notice instanceof Notice.TaskNews)) {
            send(notice);
        }
    }

    @Override
    public void tellFresh(String queue, int priority, long id) {
        database.tellFresh(queue, priority, id);
        send(new Notice.Ready(queue));
    }

    @Override
    public Optional<Announcement> announceFresh(String queue, int priority) {
        return database.announceFresh(queue, priority);
    }

    @Override
    public void announced(long nanos) {
        database.announced(nanos);
    }

    @Override
    public void tellFresh(Tx transaction, String queue, int priority, long id) {
        database.tellFresh(transaction, queue, priority, id);
    }

    @Override
    public void tellTimer(Tx transaction, String queue) {
        database.tellTimer(transaction, queue);
    }

    private void send(Notice notice) {
        if (untold.add(notice)) {
            var unused = teller.schedule(() -> sendNow(notice), GATHER_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Forgets it first: what happens from now on has to be told again. */
    private void sendNow(Notice notice) {
        untold.remove(notice);
        try {
            signal.send(notice);
        } catch (RuntimeException e) {
            log.debug("Could not tell other processes, who will find out by polling: {}", e.toString());
        }
    }

    /** Returns when all is told. */
    @Override
    public void close() {
        listening.close();
        database.close();
        teller.shutdown();
        try {
            if (!teller.awaitTermination(STOP_MILLIS, TimeUnit.MILLISECONDS)) {
                log.debug("Not all was told to other processes, who will find out by polling");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
