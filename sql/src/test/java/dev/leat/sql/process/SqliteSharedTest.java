package dev.leat.sql.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.SessionSpec;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Sweep;
import dev.leat.testkit.ManualClock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteSharedTest extends ToldStorageContract {
    @TempDir
    Path folder;

    @Override
    TestDatabase newDatabase() {
        return TestDatabase.sqlite(folder);
    }

    /** Tells when somebody asks it for the time. */
    private static final class WatchedClock implements InstantSource {
        private final ManualClock clock = new ManualClock();
        private volatile CountDownLatch asked = new CountDownLatch(1);

        @Override
        public Instant instant() {
            Instant now = clock.instant();
            asked.countDown();
            return now;
        }
    }

    /** Whoever holds the file keeps heartbeats from being written, too. */
    @Test
    void aSweepThatHadToWaitForTheFileDoesNotHoldTheSilenceAgainstASession() throws Exception {
        WatchedClock clock = new WatchedClock();
        try (Storage storage = database.open(StorageSettings.at(clock));
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            String session = storage.sessions().open(SessionSpec.named("quiet"));
            statement.execute("BEGIN IMMEDIATE");
            clock.asked = new CountDownLatch(1);
            CompletableFuture<Sweep.Result> sweep =
                    CompletableFuture.supplyAsync(() -> storage.sweep(Sweep.everything()));
            assertThat(clock.asked.await(20, TimeUnit.SECONDS)).isTrue();
            clock.clock.advance(Duration.ofMinutes(1));
            statement.execute("COMMIT");
            sweep.get(20, TimeUnit.SECONDS);

            assertThat(storage.sessions().heartbeat(session, Map.of()).alive()).isTrue();
            clock.clock.advance(Duration.ofMinutes(1));
            storage.sweep(Sweep.everything());
            assertThat(storage.sessions().heartbeat(session, Map.of()).alive()).isFalse();
        }
    }
}
