package dev.leat.sql.internal.peers;

import dev.leat.Registration;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.storage.Notice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * The other processes that use the same tables: sends them what this process changes, and receives what they change. A
 * {@link Notifier} sends after each commit, by NOTIFY and through a server. A {@link NotifyListener} or a {@link Poller}
 * receives. Safe from any thread.
 */
public final class Peers implements AutoCloseable {
    /** Gets what the peers send, on the thread that receives it. */
    public interface Receiver {
        void receive(Notice notice);

        /** The fresh lane of a queue has new rows, from this id on. */
        void receiveFresh(String queue, int priority, long firstId);
    }

    /** A thread that finds out what the peers change. */
    interface Source extends AutoCloseable {
        /** Starts the thread unless it runs already. */
        void start();

        @Override
        void close();
    }

    /** A NOTIFY in the statement of a put: the statement appends the id of its task to the payload. */
    public record OwnNotify(String channel, String payloadBeforeId) {}

    private final Notifier notifier;
    private final Source source;
    private final Optional<NotifySender> notifySender;
    private final Optional<Registration> fromServer;
    private final OwnNotifyPacing ownNotifyPacing = new OwnNotifyPacing(System.nanoTime());

    private Peers(
            Notifier notifier, Source source, Optional<NotifySender> notifySender, Optional<Registration> fromServer) {
        this.notifier = notifier;
        this.source = source;
        this.notifySender = notifySender;
        this.fromServer = fromServer;
    }

    /**
     * @param poller finds changes where no connection can listen
     * @param server carries notices as well; stays open when the peers are closed
     */
    public static Peers open(
            Db db, Tables tables, Receiver receiver, Supplier<Poller> poller, Optional<SignalServer> server) {
        Dialect dialect = db.dialect();
        String process = Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), Character.MAX_RADIX);
        Optional<NotifySender> notifySender =
                dialect.hasNotify() ? Optional.of(new NotifySender(db, tables.channel(), process)) : Optional.empty();
        // The server comes first, because its transport does not wait.
        List<Notifier.Transport> transports = new ArrayList<>();
        server.ifPresent(transports::add);
        notifySender.ifPresent(transports::add);
        Notifier notifier = new Notifier(transports);
        Source source = dialect.hasNotify() && dialect.keepsSessions()
                ? new NotifyListener(
                        dialect.source(),
                        tables.channel(),
                        process,
                        receiver,
                        () -> notifier.send(new PeerMessage.Goodbye()))
                : poller.get();
        return new Peers(
                notifier, source, notifySender, server.map(from -> from.signal().listen(receiver::receive)));
    }

    /** Starts to receive, because this process has a listener now. */
    public void listen() {
        source.start();
    }

    /** Sends a notice of a committed change. */
    public void send(Notice notice) {
        send(new PeerMessage.OfNotice(notice));
    }

    /** Sends that the fresh lane of a queue has committed rows, from this id on. */
    public void sendFresh(String queue, int priority, long firstId) {
        send(new PeerMessage.FreshRows(queue, priority, firstId));
    }

    private void send(PeerMessage message) {
        ownNotifyPacing.sent(System.nanoTime());
        notifier.send(message);
    }

    /** The NOTIFY that a put of one fresh row can carry; if empty, the put has to call {@link #sendFresh} after its commit. */
    public Optional<OwnNotify> ownNotify(String queue, int priority) {
        return notifySender
                .filter(sender -> ownNotifyPacing.begin(System.nanoTime()))
                .map(sender -> sender.ownNotify(queue, priority));
    }

    /** A put with its own NOTIFY took this long. */
    public void ownNotifyTook(long nanos) {
        ownNotifyPacing.end(System.nanoTime(), nanos);
    }

    /** Sends fresh rows with the commit of a caller's transaction, if a session waits for the queue. */
    public void sendFreshOnCommit(Tx transaction, String queue, int priority, long firstId) {
        sendOnCommit(transaction, queue, new PeerMessage.FreshRows(queue, priority, firstId));
    }

    /** Sends an earlier timer with the commit of a caller's transaction, if a session waits for the queue. */
    public void sendTimerMovedOnCommit(Tx transaction, String queue) {
        sendOnCommit(transaction, queue, new PeerMessage.OfNotice(Notice.TimerMoved.INSTANCE));
    }

    /** A server cannot carry these, because this process does not learn of the commit. */
    private void sendOnCommit(Tx transaction, String queue, PeerMessage message) {
        notifySender.ifPresent(sender -> sender.sendOnCommit(transaction, queue, message));
    }

    /** Returns when all messages are sent, or after a few seconds. */
    @Override
    public void close() {
        fromServer.ifPresent(Registration::close);
        source.close();
        notifier.close();
    }
}
