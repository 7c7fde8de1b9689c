package dev.leat.sql.insert;

import dev.leat.sql.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("engine")
class PortablePlainInsertTest extends MariaDbPlainInsertTest {
    @Override
    TestDatabase newDatabase() {
        return super.newDatabase().with("portable=true");
    }

    @Override
    boolean isNamedIn(String comment) {
        return super.isNamedIn(comment) && !comment.contains("not in portable mode");
    }
}
