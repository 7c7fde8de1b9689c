package dev.leat.sql.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.PurgeOptions;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.sql.SqlStorages;
import dev.leat.sql.fault.FullDisk;
import dev.leat.sql.internal.engine.Engine;
import dev.leat.sql.internal.engine.sqlite.SqliteConnectionSource;
import dev.leat.sql.internal.engine.sqlite.SqliteDialect;
import dev.leat.sql.internal.engine.sqlite.SqliteUrl;
import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.storage.Storage;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SQLite answers a file that may not grow as it answers a full disk. */
class SqliteFullDiskTest {
    private static final int MOST_PAGES = 2_000;

    @TempDir
    Path folder;

    @Test
    void whatWasAcceptedBeforeTheDiskWasFullIsDoneLater() {
        Path file = folder.resolve("jobs.db");
        List<Long> accepted;
        try (Storage storage = openLimited(file)) {
            accepted = FullDisk.fill(storage);
        }

        try (Storage storage = SqlStorages.sqlite(file)) {
            List<TakenTask> taken = storage.take(TakeRequest.from(FullDisk.Q).count(accepted.size() + 1));
            storage.settle(
                    taken.stream().<Settle>map(task -> Settle.ack(task.lease())).toList());
            assertThat(accepted)
                    .allSatisfy(id ->
                            assertThat(storage.peek(id).orElseThrow().state()).isEqualTo(TaskState.DONE));
        }
    }

    private static Storage openLimited(Path file) {
        SqliteUrl url = SqliteUrl.parse("sqlite:" + file);
        ConnectionSource real = new SqliteConnectionSource(url.file(), url.synchronous());
        ConnectionSource limited = () -> {
            Connection connection = real.open();
            limit(connection);
            return connection;
        };
        Engine dialect = new SqliteDialect(limited, url.file().toString(), url.tables(), InstantSource.system());
        return SqlStorage.open(dialect, url.tables(), url.migrate(), PurgeOptions.standard(), Optional.empty());
    }

    private static void limit(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA max_page_count = " + MOST_PAGES);
        }
    }
}
