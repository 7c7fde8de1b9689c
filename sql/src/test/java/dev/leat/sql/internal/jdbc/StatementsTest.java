package dev.leat.sql.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.sql.internal.engine.mariadb.MariaDbDialect;
import dev.leat.sql.internal.engine.postgres.PostgresDialect;
import dev.leat.sql.internal.engine.sqlite.SqliteDialect;
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.row.RowStatements;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
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
        return code(file -> true);
    }

    private static String code(Predicate<String> wanted) throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(StatementsTest::read)
                    .filter(wanted)
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
    void everyParameterIsSetAndEveryValueHasAParameter() throws IOException {
        Set<String> parameters = Stream.of(SQLITE, MARIADB, POSTGRESQL)
                .flatMap(statements -> statements.names().stream().map(statements::parsed))
                .flatMap(parsed -> parsed.indexes().keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> set = Pattern.compile("\\.set\\(\\s*\"([a-z_]+)\"")
                .matcher(code(file -> file.contains("jdbc.Values;") || file.contains("tx.values(\"")))
                .results()
                .map((MatchResult use) -> use.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Stream.of(RowState.values()).forEach(state -> set.add(state.name().toLowerCase(Locale.ROOT)));

        assertThat(set).containsExactlyInAnyOrderElementsOf(parameters);
    }

    @Test
    void aNameStandsForEachOfItsPlaces() {
        ParsedSql parsed = ParsedSql.of("SELECT :b, :a::text, ':c', \"x:d\", '2026'::date /* :e */ WHERE t = :b -- :f");

        assertThat(parsed.sql()).isEqualTo("SELECT ?, ?::text, ':c', \"x:d\", '2026'::date /* :e */ WHERE t = ? -- :f");
        assertThat(new Values("statement", parsed).set("a", 1).set("b", null).inOrder())
                .containsExactly(null, 1, null);
    }

    @Test
    void aValueWithoutAParameterIsRefused() {
        Values values = new Values("statement", ParsedSql.of("SELECT :a"));

        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> values.set("b", 1))
                .withMessage("Statement 'statement' has no parameter :b, but [a]");
    }

    @Test
    void aParameterWithoutAValueIsRefused() {
        Values values = new Values("statement", ParsedSql.of("SELECT :a, :b, :c")).set("b", 1);

        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(values::inOrder)
                .withMessage("Statement 'statement' lacks values for [a, c]");
    }

    @Test
    void parametersWithAndWithoutNamesAreRefused() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> ParsedSql.of("SELECT :a, ?"))
                .withMessageContaining("with and without names");
    }

    @Test
    void anUnknownNameIsRefused() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> SQLITE.get("no-such-statement"))
                .withMessage("no SQL statement is named 'no-such-statement'");
    }
}
