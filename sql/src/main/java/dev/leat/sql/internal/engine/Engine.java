package dev.leat.sql.internal.engine;

import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.peers.FileWatch;
import java.util.Optional;

/** A database system: its dialect, and how the database reports writes. */
public interface Engine extends Dialect {
    /** Reports writes to the database's file, where the database is a file. */
    default Optional<FileWatch> fileWatch(Db db) {
        return Optional.empty();
    }
}
