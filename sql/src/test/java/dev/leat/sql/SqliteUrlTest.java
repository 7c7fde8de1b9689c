package dev.leat.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.InvalidRequestException;
import dev.leat.Leat;
import dev.leat.QueueOptions;
import dev.leat.StorageException;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
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
                        storage.createQueue("q", QueueOptions.standard());
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
