package dev.leat.sql.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.sql.TestDatabase;
import dev.leat.storage.Storage;
import dev.leat.storagetests.server.MariaDbServer;
import dev.leat.storagetests.server.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server whose disk is full says so at the put that finds no room; what it had accepted is there still. */
class FullDiskTest {
    /** The one file of all tables may not grow beyond 40 MB, which InnoDB tells as it tells a full disk. */
    @Test
    @Tag("engine")
    void mariaDb() {
        Map<String, String> limited = Map.of(
                "innodb_file_per_table", "0",
                "innodb_data_file_path", "ibdata1:12M:autoextend:max:40M",
                "max_allowed_packet", "64M");
        try (MariaDbServer server = MariaDbServer.start(limited);
                Storage storage = TestDatabase.on(server).open()) {
            List<Long> accepted = FullDisk.fill(storage);

            assertThat(storage.peek(accepted.get(0))).isPresent();
        }
    }

    /** A small disk of memory, which only root can make. */
    @Test
    void postgres(@TempDir Path folder) throws Exception {
        String nobody = "65534"; // whom the server runs as when root starts it
        assertThat(runAsRoot("mount -t tmpfs -o size=40m,mode=700,uid=" + nobody + " tmpfs " + folder))
                .as("this test mounts a small disk and so needs root, or sudo without a password")
                .isTrue();
        try (PostgresServer server = PostgresServer.start(PostgresServer.Version.V18)) {
            TestDatabase.at(server.url("postgres"))
                    .execute(
                            "CREATE TABLESPACE small LOCATION '" + folder + "'",
                            "CREATE DATABASE jobs TABLESPACE small");
            try (Storage storage = TestDatabase.at(server.url("jobs")).open()) {
                List<Long> accepted = FullDisk.fill(storage);

                assertThat(storage.peek(accepted.get(0))).isPresent();
            }
        } finally {
            assertThat(runAsRoot("umount " + folder)).isTrue();
        }
    }

    private static boolean runAsRoot(String command) throws IOException, InterruptedException {
        return new ProcessBuilder("sh", "-c", command + " || sudo -n " + command)
                        .inheritIO()
                        .start()
                        .waitFor()
                == 0;
    }
}
