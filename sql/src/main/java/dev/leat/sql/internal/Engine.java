package dev.leat.sql.internal;

import java.util.Optional;
import java.util.function.Supplier;

/** A database system: its dialect, and how its processes hear of each other's changes. */
interface Engine extends Dialect {
    /** The other processes: watched, unless the database itself notifies this process of their changes. */
    default Neighbours neighbours(Db db, Tables tables, Neighbours.Hearer hearer, Supplier<Watcher> watcher) {
        return watcher.get();
    }

    /** Reports writes to the database's file, where the database is a file. */
    default Optional<Doorbell> doorbell(Db db) {
        return Optional.empty();
    }
}
