package dev.leat.sql.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.sql.internal.engine.mariadb.MariaDbDialect;
import dev.leat.sql.internal.engine.postgres.PostgresDialect;
import dev.leat.sql.internal.engine.sqlite.SqliteDialect;
import dev.leat.sql.internal.row.RowStatements;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The names of the statements in the SQL files are those that the code uses. */
class StatementsTest {
    private static final Tables TABLES = new Tables(Optional.empty(), Tables.STANDARD_PREFIX);
    private static final Tables IN_A_SCHEMA = new Tables(Optional.of("jobs"), Tables.STANDARD_PREFIX);
    private static final Path SOURCES = Path.of("src/main/java");
    /** A name in a call such as {@code tx.list("live-task", …)}. */
    private static final Pattern USE = Pattern.compile(
            "\\b(?:tx|transaction|tasks)\\.(?:list|first|ids|number|update|batch|define)\\(\\s*\"([a-z-]+)\"");

    private static final ConnectionSource NONE = () -> {
        throw new SQLException("this test needs no database");
    };

    private static final Statements SQLITE =
            RowStatements.of(new SqliteDialect(NONE, "jobs.db", TABLES, InstantSource.system()), TABLES);
    private static final Statements MARIADB = RowStatements.of(
            new MariaDbDialect(NONE, Optional.empty(), MariaDbDialect.Locking.BY_WRITING), IN_A_SCHEMA);
    private static final Statements POSTGRESQL =
            RowStatements.of(new PostgresDialect(NONE, Optional.empty()), IN_A_SCHEMA);

    private static String code() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(StatementsTest::read)
                    .collect(Collectors.joining("\n"));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> names() {
        return Stream.of(SQLITE, MARIADB, POSTGRESQL)
                .flatMap(statements -> statements.names().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void everyNameInTheCodeIsAStatement() throws IOException {
        Set<String> used = USE.matcher(code())
                .results()
                .map((MatchResult use) -> use.group(1))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(used).hasSizeGreaterThan(100);
        assertThat(names()).containsAll(used);
    }

    @Test
    void everyStatementIsUsed() throws IOException {
        String code = code();

        assertThat(names())
                .filteredOn(name -> !name.startsWith("claim-"))
                // the code appends these to the name of a statement
                .filteredOn(name -> !code.contains('"' + name.replaceFirst("(-of-spread)?(-of-type)?$", "")))
                .isEmpty();
    }

    @Test
    void everyClaimBelongsToAStatement() {
        List<String> claimed = MARIADB.names().stream()
                .filter(name -> name.startsWith("claim-"))
                .map(name -> name.substring("claim-".length()))
                .toList();

        assertThat(claimed).isNotEmpty();
        assertThat(MARIADB.names()).containsAll(claimed);
    }

    @Test
    void anUnknownNameIsRefused() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> SQLITE.get("no-such-statement"))
                .withMessage("no SQL statement is named 'no-such-statement'");
    }
}
