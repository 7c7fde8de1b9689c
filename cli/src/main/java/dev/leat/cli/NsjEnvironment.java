package dev.leat.cli;

import dev.leat.InvalidRequestException;
import dev.leat.PurgeOptions;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the environment variables of nsj-queue-lib say to Leat. They count where {@code DB_HOST} or {@code DATABASE_HOST} is set.
 */
final class NsjEnvironment {
    private static final String DEFAULT_SERVER_HOST = "127.0.0.1";
    private static final String DEFAULT_SERVER_PORT = "8770";

    private static final List<String> HOST = List.of("DB_HOST", "DATABASE_HOST");
    private static final List<String> PORT = List.of("DB_PORT", "DATABASE_PORT");
    private static final List<String> BASE = List.of("DB_BASE", "DATABASE_NAME");
    private static final List<String> USER = List.of("DB_USER", "DATABASE_USER");
    private static final List<String> PASSWORD = List.of("DB_PASS", "DATABASE_PASS");
    private static final List<String> DRIVER = List.of("DB_DRIVER", "DATABASE_DRIVER");
    private static final List<String> QUEUE = List.of("QUEUE_NAME");
    private static final List<String> TABLE = List.of("QUEUE_TABLE");
    private static final List<String> SERVER_HOST = List.of("SERVER_HOST");
    private static final List<String> SERVER_PORT = List.of("NOTIFY_SERVICE_PORT");
    private static final List<String> PURGE_MINUTES = List.of("QUEUE_MINUTE_PURGE_THREAD");

    private final Map<String, String> variables;

    private NsjEnvironment(Map<String, String> variables) {
        this.variables = variables;
    }

    /** Empty where nobody has set them; refuses those of which some are missing. */
    static Optional<NsjEnvironment> of(Map<String, String> variables) {
        NsjEnvironment environment = new NsjEnvironment(variables);
        if (environment.find(HOST).isEmpty()) {
            return Optional.empty();
        }
        environment.refuseMissing();
        return Optional.of(environment);
    }

    private void refuseMissing() {
        List<String> missing = Stream.of(PORT, BASE, USER, PASSWORD, QUEUE, TABLE)
                .filter(names -> find(names).isEmpty())
                .map(names -> String.join(" or ", names))
                .toList();
        if (!missing.isEmpty()) {
            throw new InvalidRequestException(
                    "environment",
                    "has " + String.join(" or ", HOST) + ", but not " + String.join(", ", missing)
                            + "; set them, or say --storage or LEAT_STORAGE instead");
        }
    }

    /** The database, and in client-server mode the server that signals. */
    String storageUrl() {
        return isOn("CLIENT_SERVER_MODE")
                ? databaseUrl() + "&signals=http://" + bracketed(serverHost()) + ":" + serverPort()
                : databaseUrl();
    }

    /** The database alone: the server itself has nobody to ask. */
    String databaseUrl() {
        Engine engine = engine();
        return engine.scheme + "//" + bracketed(get(HOST)) + ":" + number(PORT, get(PORT)) + "/" + get(BASE) + "?user="
                + engine.value(USER, get(USER)) + "&password=" + engine.value(PASSWORD, get(PASSWORD)) + tables()
                + engine.parameters;
    }

    String queue() {
        return get(QUEUE);
    }

    String serverHost() {
        return find(SERVER_HOST).orElse(DEFAULT_SERVER_HOST);
    }

    int serverPort() {
        return number(SERVER_PORT, find(SERVER_PORT).orElse(DEFAULT_SERVER_PORT));
    }

    /** Whenever it is due, unless minutes are named. */
    PurgeOptions purge() {
        PurgeOptions standard = PurgeOptions.standard();
        try {
            return find(PURGE_MINUTES).map(list -> standard.minutes(list)).orElse(standard);
        } catch (InvalidRequestException e) {
            throw wrong(PURGE_MINUTES, e.problem());
        }
    }

    boolean isDebugging() {
        return isOn("LOG_DEBUG");
    }

    /** The databases of nsj-queue-lib. */
    private enum Engine {
        POSTGRES("jdbc:postgresql:", ""),
        MYSQL("jdbc:mysql:", ""),
        SINGLESTORE("jdbc:mysql:", "&portable=true");

        final String scheme;
        final String parameters;

        Engine(String scheme, String parameters) {
            this.scheme = scheme;
            this.parameters = parameters;
        }

        /** PostgreSQL's driver decodes the values in its URL; MariaDB's takes them as they are. */
        String value(List<String> names, String text) {
            if (this == POSTGRES) {
                return URLEncoder.encode(text, StandardCharsets.UTF_8);
            }
            if (text.contains("&")) {
                throw wrong(names, "has a &, which no jdbc:mysql: URL can have");
            }
            return text;
        }
    }

    private Engine engine() {
        String name = find(DRIVER).orElse(Engine.POSTGRES.name());
        return Arrays.stream(Engine.values())
                .filter(engine -> engine.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> wrong(DRIVER, "must be POSTGRES, MYSQL or SINGLESTORE, was '" + name + "'"));
    }

    /** {@code shop.jobs} is the schema {@code shop} with the tables {@code jobs_task} and others. */
    private String tables() {
        String table = get(TABLE);
        int dot = table.indexOf('.');
        return (dot < 0 ? "" : "&schema=" + table.substring(0, dot)) + "&prefix=" + table.substring(dot + 1) + "_";
    }

    private static String bracketed(String host) {
        return host.contains(":") ? "[" + host + "]" : host;
    }

    private static int number(List<String> names, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw wrong(names, "must be a number, was '" + text + "'");
        }
    }

    private boolean isOn(String name) {
        return find(List.of(name)).filter("true"::equalsIgnoreCase).isPresent();
    }

    private String get(List<String> names) {
        return find(names).orElseThrow();
    }

    private Optional<String> find(List<String> names) {
        return names.stream()
                .map(variables::get)
                .filter(value -> value != null && !value.isBlank())
                .findFirst();
    }

    private static InvalidRequestException wrong(List<String> names, String problem) {
        return new InvalidRequestException(String.join(" or ", names), problem);
    }
}
