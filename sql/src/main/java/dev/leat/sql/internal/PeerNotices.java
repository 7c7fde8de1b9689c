package dev.leat.sql.internal;

import dev.leat.sql.internal.fast.Watermarks;
import dev.leat.sql.internal.peers.Peers;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.storage.Notice;
import dev.leat.storage.Signal;

/** Passes notices of peers on to the listeners of this process. */
final class PeerNotices implements Peers.Hearer {
    private final QueueCache cache;
    private final Watermarks watermarks;
    private final Signal signal;

    PeerNotices(QueueCache cache, Watermarks watermarks, Signal signal) {
        this.cache = cache;
        this.watermarks = watermarks;
        this.signal = signal;
    }

    @Override
    public void hear(Notice notice) {
        signal.send(notice);
    }

    @Override
    public void hearFresh(String queue, int priority, long id) {
        QueueRow known = cache.latest(queue);
        if (known != null) {
            watermarks.lower(known.id(), priority, id);
        }
        signal.send(new Notice.Ready(queue));
    }
}
