package dev.leat.sql.insert;

import dev.leat.sql.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqlitePlainInsertTest extends PlainInsertContract {
    @TempDir
    static Path folder;

    @Override
    TestDatabase newDatabase() {
        return TestDatabase.sqlite(folder);
    }

    @Override
    String insertUnlessTaken() {
        return "INSERT OR IGNORE INTO leat_task (queue, address) VALUES (?, ?)";
    }

    @Override
    boolean isNamedIn(String comment) {
        return comment.contains("SQLite");
    }

    @Nested
    class Types extends PlainInsertTest {
        @Override
        PlainInserter inserter() {
            return inserter;
        }

        @Test
        void valuesOfTheWrongTypeAreRefused() {
            assertRefused("due", () -> insert("due", "tomorrow"));
            assertRefused("priority", () -> insert("priority", "high"));
            assertRefused("priority", () -> insert("priority", 1L << 40));
            assertRefused("expires", () -> insert("expires", "never"));
            assertRefused("ttr", () -> insert("ttr", "PT1M"));
            assertRefused("group", () -> insert("group_id", "import"));
        }
    }
}
