package dev.leat.sql.internal;

/** Neighbours that are told by NOTIFY, and watched because a pooler keeps their notifications from us. */
final class PooledNeighbours extends NotifyingNeighbours {
    private final Watcher watcher;

    PooledNeighbours(Db db, Tables tables, Watcher watcher) {
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
