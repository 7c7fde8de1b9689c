package dev.leat.sql.internal.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The named statements of one dialect, read from {@code common.sql} and the dialect's own file, which overrides it by name.
 * Placeholders are expanded here, once; values are always bound.
 */
public final class Statements {
    private static final String FOLDER = "/dev/leat/sql/";
    private static final Pattern HEAD = Pattern.compile("-- (name|fragment): (\\S+)");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{(\\w+)}");

    private final Map<String, String> placeholders = new HashMap<>();
    private final Map<String, String> byName = new HashMap<>();

    /** @param constants more placeholders, such as the codes of states, that are the same for all dialects */
    public Statements(Dialect dialect, Tables tables, Map<String, String> constants) {
        placeholders.put("prefix", tables.qualifiedPrefix());
        placeholders.put("name", tables.prefix());
        placeholders.put("channel", tables.channel());
        tables.schema().ifPresent(schema -> placeholders.put("schema", schema));
        placeholders.putAll(dialect.placeholders());
        placeholders.putAll(constants);
        Map<String, String> raw = new HashMap<>();
        load("common.sql", raw);
        load(dialect.name() + ".sql", raw);
        raw.forEach((name, sql) -> {
            if (tables.schema().isPresent() || !sql.contains("${schema}")) {
                byName.put(name, expand(sql));
            }
        });
    }

    public String get(String name) {
        String sql = byName.get(name);
        if (sql == null) {
            throw new IllegalStateException("no SQL statement is named '" + name + "'");
        }
        return sql;
    }

    boolean has(String name) {
        return byName.containsKey(name);
    }

    /** The text of a file of statements beside this class's own, such as a migration, expanded in the same way. */
    String script(String file) {
        return expand(read(file));
    }

    private void load(String file, Map<String, String> into) {
        String kind = "";
        String name = "";
        StringBuilder body = new StringBuilder();
        for (String line : (read(file) + "\n-- name: end").lines().toList()) {
            Matcher head = HEAD.matcher(line);
            if (head.matches()) {
                keep(kind, name, body.toString().strip(), into);
                kind = head.group(1);
                name = head.group(2);
                body.setLength(0);
            } else if (!line.startsWith("--")) {
                body.append(line).append('\n');
            }
        }
    }

    private void keep(String kind, String name, String body, Map<String, String> into) {
        if (kind.equals("fragment")) {
            placeholders.put(name, body);
        } else if (kind.equals("name")) {
            into.put(name, body);
        }
    }

    private String expand(String sql) {
        return PLACEHOLDER.matcher(sql).replaceAll(found -> {
            String value = placeholders.get(found.group(1));
            if (value == null) {
                throw new IllegalStateException("unknown placeholder " + found.group() + " in: " + sql);
            }
            return Matcher.quoteReplacement(expand(value)); // a fragment may use others
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
