package dev.leat.sql.internal.engine;

import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.peers.FileWatch;
import dev.leat.sql.internal.peers.Peers;
import dev.leat.sql.internal.peers.Watcher;
import java.util.Optional;
import java.util.function.Supplier;

/** A database system: its dialect, and how its processes hear of each other's changes. */
public interface Engine extends Dialect {
    /** The other processes: watched, unless the database itself notifies this process of their changes. */
    default Peers peers(Db db, Tables tables, Peers.Hearer hearer, Supplier<Watcher> watcher) {
        return watcher.get();
    }

    /** Reports writes to the database's file, where the database is a file. */
    default Optional<FileWatch> fileWatch(Db db) {
        return Optional.empty();
    }
}
