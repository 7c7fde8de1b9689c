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

/** Linux only: elsewhere there is no bell, and watchers look. */
@EnabledOnOs(OS.LINUX)
class FileWatchTest {
    private static final long LONG_MILLIS = 20_000;

    @TempDir
    Path folder;

    private Path file;
    private FileWatch bell;

    @BeforeEach
    void hang() throws Exception {
        file = Files.createFile(folder.resolve("jobs.db-wal"));
        bell = FileWatch.at(folder.resolve("jobs.db")).orElseThrow();
    }

    @AfterEach
    void takeDown() {
        bell.close();
    }

    private void write() throws Exception {
        Files.writeString(file, "x", StandardOpenOption.APPEND);
    }

    @Test
    void itRingsWhenSomebodyWrites() throws Exception {
        assertThat(bell.turnOn()).isTrue();
        assertThat(bell.turnOn()).isFalse();

        write();

        assertThat(bell.await(LONG_MILLIS)).isTrue();
    }

    @Test
    void whatWasWrittenWhileItWasOffIsNotHeard() throws Exception {
        bell.turnOn();
        bell.turnOff();
        write();
        bell.turnOn();

        assertThat(bell.await(200)).isFalse();
    }

    @Test
    void otherFilesBesideTheDatabaseAreNotHeard() throws Exception {
        bell.turnOn();
        Files.writeString(folder.resolve("app.log"), "x");

        assertThat(bell.await(200)).isFalse();
        write();
        assertThat(bell.await(LONG_MILLIS)).isTrue();
    }

    @Test
    void whoWaitsForItIsLeftAloneWhenItIsClosed() throws Exception {
        bell.turnOn();
        CompletableFuture<Boolean> rung = CompletableFuture.supplyAsync(() -> {
            try {
                return bell.await(LONG_MILLIS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });

        bell.close();

        assertThat(rung.get(LONG_MILLIS / 2, TimeUnit.MILLISECONDS)).isFalse();
    }
}
