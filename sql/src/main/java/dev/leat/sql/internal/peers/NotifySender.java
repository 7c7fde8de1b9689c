package dev.leat.sql.internal.peers;

import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Tx;
import java.util.List;

/** Sends messages by NOTIFY: in a transaction of its own, or as part of another transaction. Safe from any thread. */
final class NotifySender implements Notifier.Transport {
    private final Db db;
    private final String channel;
    private final String process;

    /** @param process the name of this process in payloads */
    NotifySender(Db db, String channel, String process) {
        this.db = db;
        this.channel = channel;
        this.process = process;
    }

    @Override
    public void send(List<PeerMessage> messages) {
        String[] payloads = messages.stream()
                .map(message -> new NotifyPayload(process, message).text())
                .toArray(String[]::new);
        db.atOnce(Db.Repeat.HARMLESS, tx -> tx.list("notify", row -> 1, channel, payloads));
    }

    /**
     * Sends a message with the commit of a caller's transaction, if a session waits for tasks of the queue. This process
     * receives the message as well, because the caller's commit is unknown here.
     */
    void sendOnCommit(Tx transaction, String queue, PeerMessage message) {
        String payload = new NotifyPayload(NotifyPayload.NO_PROCESS, message).text();
        transaction.list("notify-waiters", row -> 1, channel, payload, queue);
    }

    /** A NOTIFY that a put of one fresh row sends in its own statement. */
    Peers.OwnNotify ownNotify(String queue, int priority) {
        return new Peers.OwnNotify(channel, NotifyPayload.beforeFreshId(process, queue, priority));
    }
}
