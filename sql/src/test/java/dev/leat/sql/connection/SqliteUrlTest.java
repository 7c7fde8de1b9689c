package dev.leat.sql.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.Leat;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.StorageException;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.Sql;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A wrong URL or file is told when it is opened, in words that say what to do. */
class SqliteUrlTest {
    @TempDir
    Path folder;

    private static Storage open(String url) {
        return Storages.open(url, StorageSettings.standard());
    }

    private Storage openFile(String name) {
        return open("sqlite:" + folder.resolve(name));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    sqlite:                             | names no file
                    sqlite::memory:                     | use memory:
                    sqlite:a.db?journal=WAL             | 'journal'
                    sqlite:a.db?synchronous=OFF         | FULL or NORMAL
                    sqlite:a.db?migrate=perhaps         | false or true
                    sqlite:a.db?prefix=a;DROP TABLE x   | letters, digits and _
                    sqlite:a.db?signals=sqlite:b.db     | http://host:8770
                    sqlite:a.db?signals=http://host     | with dev.leat:leat-client
                    sqlite:a.db?prefix=                 | letters, digits and _
                    """)
    void aWrongUrlSaysWhatIsWrong(String url, String words) {
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> open(url))
                .withMessageContaining(words);
    }

    @Test
    void everyKnownParameterIsUnderstood() {
        String url = "sqlite:" + folder.resolve("a.db") + "?synchronous=full&prefix=jobs_&migrate=true";

        try (Storage storage = open(url)) {
            assertThat(storage.name()).isEqualTo("sqlite");
        }
    }

    @Test
    void leatFindsTheStorageByItsUrl() { // R4
        try (Leat leat = Leat.open("sqlite:" + folder.resolve("a.db"))) {
            leat.put("q", "hello");
            assertThat(leat.take("q").orElseThrow().payload().text()).isEqualTo("hello");
        }
    }

    @Test
    void aFileThatIsNoDatabaseIsRefusedAndLeftAlone() throws IOException {
        Path letter = folder.resolve("letter.txt");
        String text = "Dear Ada, this is not a database. ".repeat(100);
        Files.writeString(letter, text);

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> openFile("letter.txt"))
                .withMessageContaining("letter.txt is not a SQLite database");
        assertThat(letter).hasContent(text);
    }

    private void assertRefusedWithoutAChange(String name, String words) throws IOException {
        Map<Path, Long> before = sums();

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> openOnlyIfThere(name))
                .withMessage(folder.resolve(name) + " " + words);

        assertThat(sums()).isEqualTo(before);
    }

    private Storage openOnlyIfThere(String name) {
        return Storages.open(
                "sqlite:" + folder.resolve(name),
                StorageSettings.standard().ifMissing(StorageSettings.IfMissing.REFUSE));
    }

    /** Every file of the folder, with a sum of what is in it. */
    private Map<Path, Long> sums() throws IOException {
        Map<Path, Long> sums = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                CRC32 sum = new CRC32();
                sum.update(Files.readAllBytes(file));
                sums.put(file, sum.getValue());
            }
        }
        return sums;
    }

    @Test
    void whatIsNotLeatsIsRefusedAndLeftAloneIfNothingIsToBeMade() throws IOException, SQLException {
        Files.writeString(folder.resolve("letter.txt"), "Dear Ada, this is not a database.");
        Files.createFile(folder.resolve("empty.db"));
        for (String mode : List.of("delete", "wal")) {
            try (Connection other =
                    DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("a shop's " + mode + ".db"))) {
                Sql.execute(other, "PRAGMA journal_mode = " + mode, "CREATE TABLE customer (name TEXT)");
            }
        }

        assertRefusedWithoutAChange("nothing.db", "does not exist.");
        assertRefusedWithoutAChange("nowhere/nothing.db", "does not exist.");
        assertRefusedWithoutAChange("letter.txt", "is not a SQLite database.");
        assertRefusedWithoutAChange("empty.db", "is not a SQLite database.");
        assertRefusedWithoutAChange("a shop's delete.db", "is a SQLite database without Leat's tables (leat_*).");
        assertRefusedWithoutAChange("a shop's wal.db", "is a SQLite database without Leat's tables (leat_*).");
    }

    @Test
    void aStorageThatIsThereIsOpenedAlsoIfNothingIsToBeMade() {
        try (Storage first = openFile("a.db")) {
            first.queues().create("q", QueueOptions.standard());
            assertThat(folder.resolve("a.db-wal"))
                    .as("holds the tables, and no other file yet")
                    .isNotEmptyFile();

            try (Storage second = openOnlyIfThere("a.db")) {
                assertThat(second.queues().list()).hasSize(1);
            }
        }
        try (Storage third = openOnlyIfThere("a.db")) {
            assertThat(third.queues().list()).hasSize(1);
        }
    }

    @Test
    void aFileWhoseFirstPageIsBeingWrittenIsReadWithItsLog() throws IOException {
        try (Storage storage = openFile("a.db")) {
            storage.queues().create("q", QueueOptions.standard());
            for (String suffix : List.of("", "-wal")) {
                Files.copy(folder.resolve("a.db" + suffix), folder.resolve("half.db" + suffix));
            }
        }
        int endOfHeader = 100;
        try (RandomAccessFile file =
                new RandomAccessFile(folder.resolve("half.db").toFile(), "rw")) {
            file.seek(endOfHeader);
            file.write(new byte[] {-1, -1, -1, -1});
        }

        try (Storage storage = openOnlyIfThere("half.db")) {
            assertThat(storage.queues().list()).hasSize(1);
        }
    }

    @Test
    void aFolderThatDoesNotExistIsNamed() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> openFile("nowhere/a.db"))
                .withMessageContaining(folder.resolve("nowhere").toString());
    }

    @Test
    void aFolderIsNoDatabase() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> open("sqlite:" + folder))
                .withMessageContaining("cannot be opened");
    }

    /** Permissions mean nothing to root, but SQLite itself refuses to write a file of a write version it does not know. */
    @Test
    void aDatabaseThatCanOnlyBeReadIsRefusedAtTheFirstChange() throws IOException {
        openFile("a.db").close();
        int writeVersion = 18;
        try (RandomAccessFile file = new RandomAccessFile(folder.resolve("a.db").toFile(), "rw")) {
            file.seek(writeVersion);
            file.write(9);
        }

        assertThatThrownBy(() -> {
                    try (Storage storage = openFile("a.db")) {
                        storage.queues().create("q", QueueOptions.standard());
                    }
                })
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("a.db can only be read");
    }

    /** Not even root can make a file there. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aFolderInWhichNothingCanBeMadeIsToldAsSuch() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> open("sqlite:/proc/jobs.db"))
                .withMessageContaining("/proc/jobs.db cannot be opened");
    }
}
