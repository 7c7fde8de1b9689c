package dev.leat.sql.internal.engine;

import dev.leat.DatabaseOptions;
import dev.leat.error.InvalidRequestException;
import dev.leat.sql.internal.jdbc.Migrations;
import dev.leat.sql.internal.jdbc.Tables;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The parameters after the question mark of a storage's URL. */
public final class UrlParameters {
    public static final String PREFIX = "prefix";
    public static final String SCHEMA = "schema";
    public static final String MIGRATE = "migrate";
    public static final String PORTABLE = "portable";
    public static final String POOLER = "pooler";
    public static final String SIGNALS = "signals";

    private final Map<String, String> values;

    private UrlParameters(Map<String, String> values) {
        this.values = values;
    }

    public static UrlParameters parse(String query) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String pair : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            values.put(equals < 0 ? pair : pair.substring(0, equals), equals < 0 ? "" : pair.substring(equals + 1));
        }
        return new UrlParameters(values);
    }

    public void refuseOthersThan(Set<String> known) {
        for (String name : values.keySet()) {
            if (!known.contains(name)) {
                throw new InvalidRequestException(
                        "url",
                        "has the unknown parameter '" + name + "'; known are "
                                + String.join(", ", new TreeSet<>(known)));
            }
        }
    }

    /** The parameters for the driver, without Leat's own: empty, or {@code ?a=b&c=d}. */
    public String without(Set<String> own) {
        String rest = values.entrySet().stream()
                .filter(entry -> !own.contains(entry.getKey()))
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining("&"));
        return rest.isEmpty() ? "" : "?" + rest;
    }

    public <T> T oneOf(String name, Map<String, T> meanings, T otherwise) {
        String value = values.get(name);
        if (value == null) {
            return otherwise;
        }
        for (Map.Entry<String, T> meaning : meanings.entrySet()) {
            if (meaning.getKey().equalsIgnoreCase(value)) {
                return meaning.getValue();
            }
        }
        throw wrong(name, String.join(" or ", new TreeSet<>(meanings.keySet())), value);
    }

    public String prefix() {
        return name(PREFIX, values.getOrDefault(PREFIX, Tables.STANDARD_PREFIX));
    }

    @Nullable
    public String schema() {
        String value = values.get(SCHEMA);
        return value == null ? null : name(SCHEMA, value);
    }

    public Migrations.Mode migrate() {
        Map<String, Migrations.Mode> meanings = Map.of("true", Migrations.Mode.APPLY, "false", Migrations.Mode.CHECK);
        return oneOf(MIGRATE, meanings, Migrations.Mode.APPLY);
    }

    public boolean portable() {
        return oneOf(PORTABLE, Map.of("true", true, "false", false), false);
    }

    public DatabaseOptions.Pooler pooler() {
        Map<String, DatabaseOptions.Pooler> meanings =
                Map.of("none", DatabaseOptions.Pooler.NONE, "transaction", DatabaseOptions.Pooler.TRANSACTION);
        return oneOf(POOLER, meanings, DatabaseOptions.Pooler.NONE);
    }

    /** The URL of a server; parameters of that URL are percent-encoded. */
    public Optional<String> signals() {
        return Optional.ofNullable(values.get(SIGNALS)).map(url -> URLDecoder.decode(url, StandardCharsets.UTF_8));
    }

    private static String name(String parameter, String value) {
        if (!Tables.isName(value)) {
            throw wrong(parameter, Tables.NAME_IN_WORDS, value);
        }
        return value;
    }

    private static InvalidRequestException wrong(String parameter, String expected, String value) {
        return new InvalidRequestException(
                "url", "parameter " + parameter + " must be " + expected + ", was '" + value + "'");
    }
}
