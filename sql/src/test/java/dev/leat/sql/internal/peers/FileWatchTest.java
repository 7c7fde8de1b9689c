package dev.leat.sql.internal.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Only Linux has a file watch. */
@EnabledOnOs(OS.LINUX)
class FileWatchTest {
    private static final long LONG_MILLIS = 20_000;

    @TempDir
    Path folder;

    private Path file;
    private FileWatch watch;

    @BeforeEach
    void open() throws Exception {
        file = Files.createFile(folder.resolve("jobs.db-wal"));
        watch = FileWatch.at(folder.resolve("jobs.db")).orElseThrow();
    }

    @AfterEach
    void close() {
        watch.close();
    }

    private void write() throws Exception {
        Files.writeString(file, "x", StandardOpenOption.APPEND);
    }

    @Test
    void aWriteEndsTheWait() throws Exception {
        assertThat(watch.turnOn()).isTrue();
        assertThat(watch.turnOn()).isFalse();

        write();

        assertThat(watch.awaitWrite(LONG_MILLIS)).isTrue();
    }

    @Test
    void writesBeforeTheWatchWasOnAreNotReported() throws Exception {
        watch.turnOn();
        watch.turnOff();
        write();
        watch.turnOn();

        assertThat(watch.awaitWrite(200)).isFalse();
    }

    @Test
    void otherFilesBesideTheDatabaseAreNotReported() throws Exception {
        watch.turnOn();
        Files.writeString(folder.resolve("app.log"), "x");

        assertThat(watch.awaitWrite(200)).isFalse();
        write();
        assertThat(watch.awaitWrite(LONG_MILLIS)).isTrue();
    }

    @Test
    void closeEndsTheWait() throws Exception {
        watch.turnOn();
        CompletableFuture<Boolean> isWritten = CompletableFuture.supplyAsync(() -> {
            try {
                return watch.awaitWrite(LONG_MILLIS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });

        watch.close();

        assertThat(isWritten.get(LONG_MILLIS / 2, TimeUnit.MILLISECONDS)).isFalse();
    }
}
