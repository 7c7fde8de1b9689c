package dev.leat.sql.internal.peers;

import dev.leat.storage.Notice;

/** What a process sends to its peers. Peers can lose a message: their polls find the change later. */
sealed interface PeerMessage {
    /** A notice for the waiters of every peer. */
    record OfNotice(Notice notice) implements PeerMessage {}

    /** The fresh lane of a queue has new rows of one priority, from the given id on. */
    record FreshRows(String queue, int priority, long firstId) implements PeerMessage {}

    /** The process closes its storage. Ends the wait of the process's own listener. */
    record Goodbye() implements PeerMessage {}

    /** Messages with the same subject are sent as one. */
    default Object subject() {
        record Lane(String queue, int priority) {}
        return this instanceof FreshRows fresh ? new Lane(fresh.queue, fresh.priority) : this;
    }

    /** One message that says what both say; both have the same subject. */
    default PeerMessage mergedWith(PeerMessage other) {
        return this instanceof FreshRows fresh && other instanceof FreshRows more && more.firstId < fresh.firstId
                ? other
                : this;
    }
}
