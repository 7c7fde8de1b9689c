package dev.leat.sql.internal.peers;

import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Tables;

/** Neighbours that are told by NOTIFY, and watched because a pooler keeps their notifications from us. */
public final class PooledPeers extends PostgresNotifier {
    private final Watcher watcher;

    public PooledPeers(Db db, Tables tables, Watcher watcher) {
        super(db, tables);
        this.watcher = watcher;
    }

    @Override
    public void listen() {
        watcher.listen();
    }

    @Override
    public void close() {
        watcher.close();
        super.close();
    }
}
