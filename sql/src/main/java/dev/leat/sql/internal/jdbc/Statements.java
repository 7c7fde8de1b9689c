package dev.leat.sql.internal.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The named statements of one dialect. The files of the dialect override the common files by name. A statement with the same
 * name twice in either of them is an error.
 *
 * <p>Placeholders such as <code>${prefix}</code> are expanded once, when the files are loaded. Values are always bound.
 * Statements with many parameters name them, such as <code>:due</code>; {@link Tx#values} binds these by name.
 */
public final class Statements {
    private static final String FOLDER = "/dev/leat/sql/";
    private static final List<String> COMMON = List.of(
            "common/tasks.sql",
            "common/puts.sql",
            "common/takes.sql",
            "common/keys.sql",
            "common/settles.sql",
            "common/queues.sql",
            "common/lookups.sql",
            "common/sessions.sql",
            "common/groups.sql",
            "common/dependencies.sql",
            "common/schedules.sql",
            "common/subscriptions.sql",
            "common/upkeep.sql",
            "common/locks.sql");
    private static final Map<String, List<String>> BY_DIALECT = Map.of(
            "sqlite",
            List.of("sqlite/tasks.sql", "sqlite/file.sql"),
            "mariadb",
            List.of(
                    "mariadb/tasks.sql",
                    "mariadb/takes.sql",
                    "mariadb/groups.sql",
                    "mariadb/claims.sql",
                    "mariadb/server.sql"),
            "postgresql",
            List.of(
                    "postgresql/general.sql",
                    "postgresql/fast_puts.sql",
                    "postgresql/fast_takes.sql",
                    "postgresql/fast_acks.sql",
                    "postgresql/partitions.sql",
                    "postgresql/server.sql"));

    private static final Pattern HEAD = Pattern.compile("-- (name|fragment): (\\S+)");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{(\\w+)}");

    private final Map<String, String> placeholders = new HashMap<>();
    private final Map<String, ParsedSql> byName = new HashMap<>();

    /** @param constants placeholders that are the same for all dialects, such as the codes of states */
    public Statements(Dialect dialect, Tables tables, Map<String, String> constants) {
        Parts parts = new Parts();
        COMMON.forEach(parts::load);
        Parts own = new Parts();
        filesOf(dialect).forEach(own::load);
        parts.override(own);
        placeholders.putAll(parts.fragments);
        placeholders.put("prefix", tables.qualifiedPrefix());
        placeholders.put("name", tables.prefix());
        placeholders.put("channel", tables.channel());
        tables.schema().ifPresent(schema -> placeholders.put("schema", schema));
        placeholders.putAll(dialect.placeholders());
        placeholders.put("named_limit", placeholders.getOrDefault("limit", "?").replace("?", ":limit"));
        placeholders.putAll(constants);
        parts.statements.forEach((name, sql) -> {
            if (tables.schema().isPresent() || !sql.contains("${schema}")) {
                byName.put(name, ParsedSql.of(expand(sql)));
            }
        });
    }

    private static List<String> filesOf(Dialect dialect) {
        List<String> files = BY_DIALECT.get(dialect.name());
        if (files == null) {
            throw new IllegalStateException("no SQL files are listed for the dialect '" + dialect.name() + "'");
        }
        return files;
    }

    /** What some files define. */
    private static final class Parts {
        final Map<String, String> statements = new HashMap<>();
        final Map<String, String> fragments = new HashMap<>();

        void load(String file) {
            String kind = "";
            String name = "";
            StringBuilder body = new StringBuilder();
            for (String line : (read(file) + "\n-- name: end").lines().toList()) {
                Matcher head = HEAD.matcher(line);
                if (head.matches()) {
                    add(file, kind, name, body.toString().strip());
                    kind = head.group(1);
                    name = head.group(2);
                    body.setLength(0);
                } else if (!line.startsWith("--")) {
                    body.append(line).append('\n');
                }
            }
        }

        private void add(String file, String kind, String name, String body) {
            if (kind.isEmpty()) {
                return;
            }
            Map<String, String> parts = kind.equals("fragment") ? fragments : statements;
            if (parts.put(name, body) != null) {
                throw new IllegalStateException("the " + kind + " '" + name + "' in " + file + " exists twice");
            }
        }

        void override(Parts others) {
            statements.putAll(others.statements);
            fragments.putAll(others.fragments);
        }
    }

    /** The SQL for the driver, with a question mark for each parameter. */
    public String get(String name) {
        return parsed(name).sql();
    }

    ParsedSql parsed(String name) {
        ParsedSql parsed = byName.get(name);
        if (parsed == null) {
            throw new IllegalStateException("no SQL statement is named '" + name + "'");
        }
        return parsed;
    }

    boolean has(String name) {
        return byName.containsKey(name);
    }

    /** The names of all statements. */
    public Set<String> names() {
        return byName.keySet();
    }

    /** The expanded text of another file in the folder of the statements, such as a migration. */
    String script(String file) {
        return expand(read(file));
    }

    private String expand(String sql) {
        return PLACEHOLDER.matcher(sql).replaceAll(found -> {
            String value = placeholders.get(found.group(1));
            if (value == null) {
                throw new IllegalStateException("unknown placeholder " + found.group() + " in: " + sql);
            }
            return Matcher.quoteReplacement(expand(value)); // a fragment can contain placeholders
        });
    }

    private static String read(String file) {
        try (InputStream in = Statements.class.getResourceAsStream(FOLDER + file)) {
            if (in == null) {
                throw new IllegalStateException("the jar of leat-sql lacks " + FOLDER + file);
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
