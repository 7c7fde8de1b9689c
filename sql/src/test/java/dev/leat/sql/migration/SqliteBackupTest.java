package dev.leat.sql.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.leat.Attempt;
import dev.leat.Leat;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.StorageException;
import dev.leat.sql.Sql;
import dev.leat.sql.SqliteBackup;
import dev.leat.sql.TestDatabase;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Copies of a SQLite storage that is in use, and storages that are made of them. */
class SqliteBackupTest {
    @TempDir
    Path folder;

    private Path file(String name) {
        return folder.resolve(name);
    }

    private String url(String name) {
        return "sqlite:" + file(name);
    }

    private Leat open(String name) {
        return Leat.open(url(name));
    }

    private SqliteBackup storage() {
        return SqliteBackup.of(url("jobs.db"));
    }

    private static SqliteBackup.Copied backUp(SqliteBackup storage, Path to) {
        return storage.backUp(to, bytes -> {});
    }

    private static SqliteBackup.Copied restore(SqliteBackup storage, Path from) {
        return storage.restore(from, bytes -> {});
    }

    /** A storage with one task, and a backup of it; nobody has them open. */
    private long backedUpTask() {
        long id;
        try (Leat leat = open("jobs.db")) {
            id = leat.put("q", "hello");
        }
        backUp(storage(), file("backup.db"));
        return id;
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static void assertRefused(String why, ThrowingCallable copy) {
        assertThatExceptionOfType(StorageException.class).isThrownBy(copy).withMessageContaining(why);
    }

    // There

    @Test
    void everyPutThatReturnedBeforeABackupBeganIsInIt() throws Exception {
        Queue<Long> put = new ConcurrentLinkedQueue<>();
        AtomicBoolean enough = new AtomicBoolean();
        List<Long> before;
        List<Long> after;
        SqliteBackup.Copied copied;
        try (Leat leat = open("jobs.db")) {
            CompletableFuture<Void> producer = CompletableFuture.runAsync(() -> {
                try (Leat other = open("jobs.db")) {
                    while (!enough.get()) {
                        put.add(other.put("q", "x".repeat(2_000)));
                    }
                }
            });
            leat.worker()
                    .handle("q", String.class, (payload, task) -> task.bury("seen"))
                    .start();
            Awaitility.await().until(() -> put.size() > 200);

            before = List.copyOf(put);
            copied = backUp(storage(), file("backup.db"));
            after = List.copyOf(put);

            Awaitility.await("puts go on").until(() -> put.size() > after.size());
            enough.set(true);
            producer.get();
        }

        assertThat(files()).as("needs no file beside it").contains("backup.db").doesNotContain("backup.db-wal");
        assertThat(copied.bytes()).isEqualTo(Files.size(file("backup.db")));
        TestDatabase backup = TestDatabase.at("jdbc:sqlite:" + file("backup.db"));
        long lastBefore = before.get(before.size() - 1);
        assertThat(backup.number("SELECT count(*) FROM leat_task WHERE id <= " + lastBefore))
                .isEqualTo(before.size());
        assertThat(copied.liveTasks())
                .isEqualTo(backup.number("SELECT count(*) FROM leat_task"))
                .isBetween((long) before.size(), after.size() + 1L);
    }

    @Test
    void aBackupTellsItsProgress() {
        open("jobs.db").close();
        AtomicLong last = new AtomicLong();

        SqliteBackup.Copied copied = storage().backUp(file("backup.db"), last::set);

        assertThat(last).hasValue(copied.bytes());
        assertThat(storage().bytes()).isBetween(copied.bytes(), 2 * copied.bytes());
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aBackupIsAsPrivateAsTheStorage() throws IOException {
        open("jobs.db").close();
        Files.setPosixFilePermissions(file("jobs.db"), PosixFilePermissions.fromString("rw-r-----"));

        backUp(storage(), file("backup.db"));

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file("backup.db"))))
                .isEqualTo("rw-r-----");
    }

    @Test
    void aFileThatIsThereIsOnlyReplacedOnDemand() throws IOException {
        backedUpTask();
        Files.writeString(file("backup.db"), "precious");

        assertRefused("backup.db is already there.", () -> backUp(storage(), file("backup.db")));
        assertThat(file("backup.db")).hasContent("precious");

        assertThat(backUp(storage().replacing(), file("backup.db")).liveTasks()).isEqualTo(1);
        assertThat(files()).containsExactly("backup.db", "jobs.db");
    }

    @Test
    void aWalFileThatWasLeftBehindDoesNotGetIntoTheBackup() throws Exception {
        backedUpTask();
        try (Leat leat = open("backup.db")) {
            leat.put("q", "old");
            Files.copy(file("backup.db-wal"), file("old-wal"));
        }
        Files.delete(file("backup.db"));
        Files.move(file("old-wal"), file("backup.db-wal"));

        assertRefused("backup.db-wal is left of a database", () -> backUp(storage(), file("backup.db")));
        backUp(storage().replacing(), file("backup.db"));

        assertThat(files()).containsExactly("backup.db", "jobs.db");
        assertThat(TestDatabase.at("jdbc:sqlite:" + file("backup.db")).number("SELECT count(*) FROM leat_task"))
                .isEqualTo(1);
    }

    @Test
    void aStorageThatIsOpenIsNotReplacedByABackup() throws SQLException {
        long id = backedUpTask();
        try (Leat leat = open("backup.db")) {
            assertRefused(
                    "backup.db is open in another process",
                    () -> backUp(storage().replacing(), file("backup.db")));

            assertThat(leat.delete(id)).isEqualTo(TaskState.CANCELED);
        }
        TestDatabase shop = TestDatabase.at("jdbc:sqlite:" + file("shop.db"));
        shop.execute("PRAGMA journal_mode = WAL", "CREATE TABLE article (id INTEGER)");
        try (Connection connection = shop.connect()) {
            Sql.execute(connection, "INSERT INTO article VALUES (1)");

            assertRefused(
                    "shop.db is open in another process. Stop it first.",
                    () -> backUp(storage().replacing(), file("shop.db")));
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aSymbolicLinkStaysAndTheFileBehindItIsReplaced() throws IOException {
        backedUpTask();
        Files.createSymbolicLink(file("latest.db"), file("backup.db"));
        Files.writeString(file("backup.db"), "old");

        backUp(storage().replacing(), file("latest.db"));

        assertThat(file("latest.db")).isSymbolicLink();
        assertThat(restore(SqliteBackup.of(url("new.db")), file("backup.db")).liveTasks())
                .isEqualTo(1);
    }

    @Test
    void whatIsNoStorageIsNotBackedUp() throws IOException {
        assertRefused("There is no file " + file("jobs.db"), () -> backUp(storage(), file("backup.db")));
        Files.writeString(file("jobs.db"), "Dear Ada, this is not a database. ".repeat(100));
        assertRefused("jobs.db is not a SQLite database", () -> backUp(storage(), file("backup.db")));
        assertRefused("is the storage itself", () -> backUp(storage().replacing(), folder.resolve("./jobs.db")));

        assertThat(files()).containsExactly("jobs.db");
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://host/db?user=ada&password=secret, pg_dump",
        "jdbc:mariadb://host/db?password=secret, mariadb-dump",
        "jdbc:mysql://host/db?password=secret, mariadb-dump",
        "http://host:8770?token=secret, where the file is",
        "https://host:8770?token=secret, where the file is",
        "memory:, have no file",
        "tape:secret, is not a file",
    })
    void otherStoragesAreRefusedWithTheNameOfWhatCopiesThem(String url, String instead) {
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> SqliteBackup.of(url))
                .withMessageContaining(instead)
                .withMessageNotContaining("secret");
    }

    // And back

    @Test
    void whatWasTakenComesBackWhenTheRestoredStorageIsOpened() throws Exception {
        long id;
        try (Leat leat = open("jobs.db")) {
            id = leat.put("q", "hello");
            assertThat(leat.take("q")).isPresent();
            backUp(storage(), file("backup.db"));
        }

        SqliteBackup.Copied copied = restore(SqliteBackup.of(url("elsewhere.db")), file("backup.db"));

        assertThat(copied.liveTasks()).isEqualTo(1);
        try (Leat leat = open("elsewhere.db")) {
            assertThat(leat.take(TakeRequest.from("q"), Duration.ofSeconds(10)))
                    .extracting(TakenTask::id, taken -> taken.payload().text())
                    .containsExactly(tuple(id, "hello"));
            assertThat(leat.attempts(id)).extracting(Attempt::outcome).containsExactly(Attempt.Outcome.LOST);
        }
    }

    @Test
    void aRestoredStorageIsAsItWasAndGoesOnWithNewIds() throws IOException {
        long id = backedUpTask();
        try (Leat leat = open("jobs.db")) {
            leat.put("q", "too late");
        }

        restore(storage().replacing(), file("backup.db"));

        assertThat(files()).containsExactly("backup.db", "jobs.db");
        try (Leat leat = open("jobs.db")) {
            assertThat(leat.list(TaskQuery.live())).extracting(Task::id).containsExactly(id);
            assertThat(leat.put("q", "next")).isGreaterThan(id);
        }
    }

    @Test
    void aStorageThatIsThereIsOnlyReplacedOnDemand() {
        backedUpTask();

        assertRefused("jobs.db is already there.", () -> restore(storage(), file("backup.db")));
    }

    @Test
    void aStorageThatIsOpenIsNotReplacedAndItsSessionsAreNamed() throws IOException {
        backedUpTask();
        try (Leat leat = Leat.builder(url("jobs.db")).name("mailer").open()) {
            assertRefused(
                    "jobs.db is open in another process. Stop it first.",
                    () -> restore(storage().replacing(), file("backup.db")));
            TakenTask taken = leat.take("q").orElseThrow();
            assertRefused(
                    "jobs.db is open in another process; the session mailer#",
                    () -> restore(storage().replacing(), file("backup.db")));

            assertThat(leat.ack(taken).accepted()).isTrue();
        }
        assertThat(files()).containsExactly("backup.db", "jobs.db");
    }

    @Test
    void aDamagedStorageCanBeReplaced() throws IOException {
        long id = backedUpTask();
        Files.writeString(file("jobs.db"), "nothing that SQLite knows ".repeat(200));

        restore(storage().replacing(), file("backup.db"));

        try (Leat leat = open("jobs.db")) {
            assertThat(leat.peek(id)).isPresent();
        }
    }

    @Test
    void aWalFileThatWasLeftBehindDoesNotGetIntoTheRestoredStorage() throws IOException {
        backedUpTask();
        Files.delete(file("jobs.db"));
        Files.writeString(file("jobs.db-wal"), "old");

        assertRefused("jobs.db-wal is left of a database", () -> restore(storage(), file("backup.db")));
        restore(storage().replacing(), file("backup.db"));

        assertThat(files()).containsExactly("backup.db", "jobs.db");
    }

    @Test
    void onlyALeatDatabaseIsRestored() throws IOException, SQLException {
        assertRefused("There is no file " + file("nothing.db"), () -> restore(storage(), file("nothing.db")));
        Files.writeString(file("letter.txt"), "Dear Ada, this is not a database. ".repeat(100));
        assertRefused("letter.txt is not a SQLite database", () -> restore(storage(), file("letter.txt")));
        Files.createFile(file("empty.db"));
        assertRefused("empty.db is not a Leat database", () -> restore(storage(), file("empty.db")));
        TestDatabase.at("jdbc:sqlite:" + file("shop.db")).execute("CREATE TABLE article (id INTEGER)");
        assertRefused("shop.db is not a Leat database", () -> restore(storage(), file("shop.db")));
        assertRefused(
                "it has no table jobs_migration",
                () -> restore(SqliteBackup.of(url("jobs.db") + "?prefix=jobs_"), file("shop.db")));

        assertThat(file("jobs.db")).doesNotExist();
    }

    @Test
    void aPlainCopyOfAStorageThatIsInUseIsRefusedWithTheReason() throws IOException {
        try (Leat leat = open("jobs.db")) {
            leat.put("q", "hello");
            Files.copy(file("jobs.db"), file("copy.db"));
        }

        assertRefused(
                "in the file that ends with -wal", () -> restore(SqliteBackup.of(url("new.db")), file("copy.db")));
    }

    /** In a way that copying alone would not notice: by a value that its column cannot have. */
    @Test
    void aDamagedBackupIsRefused() throws SQLException {
        backedUpTask();
        TestDatabase.at("jdbc:sqlite:" + file("backup.db"))
                .execute(
                        "CREATE TABLE article (name TEXT)",
                        "INSERT INTO article VALUES (NULL)",
                        "PRAGMA writable_schema = ON",
                        "UPDATE sqlite_master SET sql = replace(sql, 'TEXT', 'TEXT NOT NULL') WHERE name = 'article'");

        assertRefused(
                "backup.db is damaged: NULL value in article.name",
                () -> restore(SqliteBackup.of(url("new.db")), file("backup.db")));
        assertThat(file("new.db")).doesNotExist();
    }

    @Test
    void aBackupWhosePagesAreGoneIsRefused() throws IOException {
        backedUpTask();
        int page = 4_096;
        try (RandomAccessFile file = new RandomAccessFile(file("backup.db").toFile(), "rw")) {
            file.setLength(file.length() - 20 * page);
        }

        assertRefused("backup.db is damaged", () -> restore(SqliteBackup.of(url("new.db")), file("backup.db")));
        assertThat(file("new.db")).doesNotExist();
    }
}
