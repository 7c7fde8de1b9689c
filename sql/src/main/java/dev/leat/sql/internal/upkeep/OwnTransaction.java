package dev.leat.sql.internal.upkeep;

import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.work.UnitOfWork;
import java.util.function.Function;

/**
 * A committed unit of work that follows from another one, such as the end of a group. It can be repeated, so a lost answer is repeated.
 *
 * @param unit has the notices to send, and the groups and tasks to check next
 */
record OwnTransaction<T>(UnitOfWork unit, T result) {
    static <T> OwnTransaction<T> run(Db db, QueueCache cache, Function<UnitOfWork, T> work) {
        return db.write(Db.Repeat.HARMLESS, tx -> {
            UnitOfWork unit = new UnitOfWork(tx, cache, Dialect.Access.WRITE);
            T result = work.apply(unit);
            unit.finish();
            return new OwnTransaction<>(unit, result);
        });
    }
}
