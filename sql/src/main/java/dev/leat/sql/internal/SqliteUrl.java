package dev.leat.sql.internal;

import dev.leat.InvalidRequestException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What {@code sqlite:path/to/file.db?synchronous=FULL&prefix=jobs_&migrate=false} says.
 *
 * @param prefix of the tables' names, so that several Leats share a file
 */
record SqliteUrl(Path file, Synchronous synchronous, String prefix, Migrations.Mode migrate) {
    static final String SCHEME = "sqlite:";

    /** How hard a commit presses the disk; both survive a crash of the process. */
    enum Synchronous {
        /** A power cut may cost the last commits, but never the file. */
        NORMAL,
        /** A commit is on the disk when it returns. */
        FULL
    }

    private static final Set<String> KNOWN = new TreeSet<>(Set.of("synchronous", "prefix", "migrate"));

    static SqliteUrl parse(String url) {
        String rest = url.substring(SCHEME.length());
        int question = rest.indexOf('?');
        String path = question < 0 ? rest : rest.substring(0, question);
        Map<String, String> parameters = parameters(question < 0 ? "" : rest.substring(question + 1));
        return new SqliteUrl(file(path), synchronous(parameters), prefix(parameters), migrate(parameters));
    }

    private static Path file(String path) {
        if (path.isBlank()) {
            throw new InvalidRequestException("url", "names no file; write sqlite:path/to/file.db");
        }
        if (path.equals(":memory:")) {
            throw new InvalidRequestException("url", "sqlite::memory: is not supported; use memory: instead");
        }
        return Path.of(path);
    }

    private static Map<String, String> parameters(String query) {
        Map<String, String> parameters = new TreeMap<>();
        for (String pair : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            if (!KNOWN.contains(name)) {
                throw new InvalidRequestException(
                        "url", "has the unknown parameter '" + name + "'; known are " + String.join(", ", KNOWN));
            }
            parameters.put(name, equals < 0 ? "" : pair.substring(equals + 1));
        }
        return parameters;
    }

    private static Synchronous synchronous(Map<String, String> parameters) {
        String value = parameters.getOrDefault("synchronous", "NORMAL").toUpperCase(Locale.ROOT);
        return switch (value) {
            case "NORMAL" -> Synchronous.NORMAL;
            case "FULL" -> Synchronous.FULL;
            default -> throw wrong("synchronous", "NORMAL or FULL", value);
        };
    }

    private static String prefix(Map<String, String> parameters) {
        String value = parameters.getOrDefault("prefix", "leat_");
        if (!value.matches("[A-Za-z_][A-Za-z0-9_]{0,39}")) {
            throw wrong("prefix", "1 to 40 letters, digits and _, not beginning with a digit", value);
        }
        return value;
    }

    private static Migrations.Mode migrate(Map<String, String> parameters) {
        String value = parameters.getOrDefault("migrate", "true");
        return switch (value) {
            case "true" -> Migrations.Mode.APPLY;
            case "false" -> Migrations.Mode.CHECK;
            default -> throw wrong("migrate", "true or false", value);
        };
    }

    private static InvalidRequestException wrong(String parameter, String expected, String value) {
        return new InvalidRequestException(
                "url", "parameter " + parameter + " must be " + expected + ", was '" + value + "'");
    }
}
