package dev.leat.cli.command;

import dev.leat.PurgeOptions;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.Backoff;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.queue.RetryPolicy;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The environment variables of nsj-queue-lib as settings of Leat. They apply if {@code DB_HOST}, {@code DATABASE_HOST} or
 * {@code QUEUE_TABLE} is set: a forgotten host is then an error, instead of a worker on a local file.
 */
public final class NsjEnvironment {
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
    private static final List<String> MAX_RETRY = List.of("QUEUE_MAX_RETRY");
    private static final List<String> BASE_INTERVAL_RETRY = List.of("QUEUE_BASE_INTERVAL_RETRY");
    private static final List<String> PURGE_MAX_AGE = List.of("QUEUE_PURGE_MAX_AGE");
    private static final List<String> WEBHOOK_TIMEOUT = List.of("DEFAULT_WEBHOOK_TIMEOUT");
    private static final List<String> STAGE = List.of("ENV");
    private static final List<String> SERVER_HOST = List.of("SERVER_HOST");
    private static final List<String> SERVER_PORT = List.of("NOTIFY_SERVICE_PORT");
    private static final List<String> PURGE_MINUTES = List.of("QUEUE_MINUTE_PURGE_THREAD");

    /** The timeouts that leat-webhook allows. */
    private static final Duration LONGEST_WEBHOOK = Duration.ofMinutes(10);

    private static final List<List<String>> REQUIRED = List.of(HOST, PORT, BASE, USER, PASSWORD, QUEUE, TABLE);

    /** Leat's names of tables have 40 characters to begin with, of which the last is a {@code _} here. */
    private static final Pattern TABLE_NAME =
            Pattern.compile("(?:([A-Za-z_][A-Za-z0-9_]{0,38})\\.)?([A-Za-z_][A-Za-z0-9_]{0,38})");

    private final Map<String, String> variables;

    private NsjEnvironment(Map<String, String> variables) {
        this.variables = variables;
    }

    /** Empty if none of the variables is set; refuses an incomplete set. */
    public static Optional<NsjEnvironment> of(Map<String, String> variables) {
        NsjEnvironment environment = new NsjEnvironment(variables);
        if (environment.find(HOST).isEmpty() && environment.find(TABLE).isEmpty()) {
            return Optional.empty();
        }
        environment.refuseMissing();
        return Optional.of(environment);
    }

    private void refuseMissing() {
        List<String> missing = REQUIRED.stream()
                .filter(names -> find(names).isEmpty())
                .map(names -> String.join(" or ", names))
                .toList();
        if (!missing.isEmpty()) {
            throw new InvalidRequestException(
                    "environment",
                    "has variables of nsj-queue-lib, but not " + String.join(", ", missing)
                            + "; set them, or say --storage or LEAT_STORAGE instead");
        }
    }

    /** The database, and in client-server mode the server that signals. */
    public String storageUrl() {
        return isOn("CLIENT_SERVER_MODE")
                ? databaseUrl() + "&signals=http://" + bracketed(serverHost()) + ":" + serverPort()
                : databaseUrl();
    }

    /** The database without a signal server: for the process that is the signal server. */
    public String databaseUrl() {
        Engine engine = engine();
        return jdbcUrl(engine) + tables() + engine.parameters;
    }

    private String jdbcUrl(Engine engine) {
        return engine.scheme + "//" + bracketed(get(HOST)) + ":" + number(PORT, get(PORT)) + "/" + get(BASE) + "?user="
                + engine.value(USER, get(USER)) + "&password=" + engine.value(PASSWORD, get(PASSWORD));
    }

    /** The channel that stops workers; only PostgreSQL has channels. */
    public Optional<HaltChannel> haltChannel() {
        return Optional.of(engine())
                .filter(Engine.POSTGRES::equals)
                .map(engine -> new HaltChannel(jdbcUrl(engine), queue()));
    }

    public String queue() {
        return get(QUEUE);
    }

    /** The session name of a worker; unique for each worker. */
    public String workerName() {
        return queue() + "_WORKER_" + UUID.randomUUID();
    }

    /** The defaults of nsj-queue-lib, changed by the variables that are set. */
    public QueueOptions queueOptions() {
        QueueOptions nsj = QueueOptions.nsj();
        RetryPolicy retry = positive(MAX_RETRY)
                .map(attempts -> nsj.retry().maxFailures(attempts).maxLosses(attempts))
                .orElse(nsj.retry());
        return nsj.toBuilder()
                .retry(positive(BASE_INTERVAL_RETRY)
                        .map(minutes -> retry.backoff(Backoff.linear(Duration.ofMinutes(minutes))))
                        .orElse(retry))
                .retention(positive(PURGE_MAX_AGE)
                        .map(days -> Retention.all(Duration.ofDays(days))
                                .donePayload(nsj.retention().donePayload()))
                        .orElse(nsj.retention()))
                .build();
    }

    /** Timeout of a webhook whose subscription names none. */
    public Optional<Duration> webhookTimeout() {
        Optional<Integer> seconds = positive(WEBHOOK_TIMEOUT);
        if (seconds.isPresent() && seconds.get() > LONGEST_WEBHOOK.toSeconds()) {
            throw wrong(
                    WEBHOOK_TIMEOUT,
                    "must be at most " + LONGEST_WEBHOOK.toSeconds() + ", was '" + seconds.get() + "'");
        }
        return seconds.map(Duration::ofSeconds);
    }

    /** The installation, such as DEV; labels the log lines. */
    public String stage() {
        return find(STAGE).orElse("DEV");
    }

    public String serverHost() {
        return find(SERVER_HOST).orElse(DEFAULT_SERVER_HOST);
    }

    public int serverPort() {
        return number(SERVER_PORT, find(SERVER_PORT).orElse(DEFAULT_SERVER_PORT));
    }

    /** Whenever it is due, unless minutes are named. */
    public PurgeOptions purge() {
        PurgeOptions standard = PurgeOptions.standard();
        try {
            return find(PURGE_MINUTES).map(list -> standard.minutes(list)).orElse(standard);
        } catch (InvalidRequestException e) {
            throw wrong(PURGE_MINUTES, e.problem());
        }
    }

    public boolean isDebugging() {
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
                .filter(engine -> engine.name().equalsIgnoreCase(name.replace("_", "")))
                .findFirst()
                .orElseThrow(() -> wrong(DRIVER, "must be POSTGRES, MYSQL or SINGLE_STORE, was '" + name + "'"));
    }

    /** {@code shop.jobs} is the schema {@code shop} with the tables {@code jobs_task} and others. */
    private String tables() {
        Matcher name = TABLE_NAME.matcher(get(TABLE));
        if (!name.matches()) {
            throw wrong(
                    TABLE,
                    "must be a table or schema.table of letters, digits and _, not beginning with a digit, of at most 39"
                            + " characters each, was '" + get(TABLE) + "'");
        }
        return Optional.ofNullable(name.group(1))
                        .map(schema -> "&schema=" + schema)
                        .orElse("")
                + "&prefix=" + name.group(2) + "_";
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

    private Optional<Integer> positive(List<String> names) {
        Optional<Integer> value = find(names).map(text -> number(names, text));
        if (value.isPresent() && value.get() < 1) {
            throw wrong(names, "must be at least 1, was '" + value.get() + "'");
        }
        return value;
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
