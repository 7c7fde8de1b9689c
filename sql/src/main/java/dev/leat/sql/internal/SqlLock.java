package dev.leat.sql.internal;

import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.storage.Lock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** Locks as rows with a lease, by the database's clock. */
final class SqlLock implements Lock {
    private final Db db;

    SqlLock(Db db) {
        this.db = db;
    }

    @Override
    public Optional<Held> tryAcquire(String name, Duration lease) {
        long holder = ThreadLocalRandom.current().nextLong();
        boolean acquired = db.write(Db.Repeat.HARMLESS, tx -> {
            long now = tx.now();
            long until = now + Times.micros(lease);
            // The third statement serves a repetition after a commit in doubt: the row may be ours already.
            return tx.update("renew-expired-lock", holder, until, name, now) == 1
                    || tx.update("acquire-lock", name, holder, until) == 1
                    || tx.update("renew-lock", until, name, holder, now) == 1;
        });
        return acquired ? Optional.of(new HeldRow(name, holder, lease)) : Optional.empty();
    }

    private final class HeldRow implements Held {
        private final String name;
        private final long holder;
        private final Duration lease;

        HeldRow(String name, long holder, Duration lease) {
            this.name = name;
            this.holder = holder;
            this.lease = lease;
        }

        @Override
        public boolean renew() {
            return db.write(Db.Repeat.HARMLESS, tx -> {
                long now = tx.now();
                return tx.update("renew-lock", now + Times.micros(lease), name, holder, now) == 1;
            });
        }

        @Override
        public void close() {
            db.write(Db.Repeat.HARMLESS, tx -> tx.update("release-lock", name, holder));
        }
    }
}
