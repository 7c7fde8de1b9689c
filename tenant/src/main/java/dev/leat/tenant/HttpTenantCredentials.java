package dev.leat.tenant;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.error.InvalidRequestException;
import dev.leat.tenant.internal.AccessTokens;
import dev.leat.tenant.internal.AnswerFields;
import dev.leat.tenant.internal.HttpCalls;
import dev.leat.tenant.internal.HttpUrl;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Asks an HTTP service how to log in to the database of a tenant, with a token that it gets by an {@link OAuthGrant}.
 *
 * <p>A URL with {@code {tenant}} in it is called by GET; any other by POST, with the JSON <code>{"tenant": "…"}</code>. The
 * service answers 200 with a JSON object, which has either the field {@code jdbcUrl} or {@code host}, {@code port} and
 * {@code database}, and {@code user} and {@code password} beside them. Other fields are ignored.
 *
 * <p>The token is kept until 10 seconds before its end, and one thread gets a new one for all. A 401 of the service leads to one new
 * token and one more try. Safe from any thread; the work is done on the thread that calls.
 */
public final class HttpTenantCredentials implements TenantCredentials {
    private static final String TENANT = "{tenant}";
    private static final int OK = 200;
    private static final int UNAUTHORIZED = 401;
    private static final int HIGHEST_PORT = 65_535;
    /** A name or an address; nothing that could add parameters to a JDBC URL. */
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+|\\[?[0-9A-Fa-f:.]+]?");
    /** Matches 47, but not 047: a service that knows tenants by number would take both for one tenant. */
    private static final Pattern WHOLE_NUMBER = Pattern.compile("0|[1-9][0-9]{0,17}");

    private final String url;
    private final OAuthGrant grant;
    private final String jdbcUrl;
    private final Map<Field, String> fields;
    private final boolean numericTenants;
    private final HttpCalls calls;
    private final AccessTokens tokens;

    /** The values in the answer, with the default names of their fields; see {@link Builder#field}. */
    public enum Field {
        JDBC_URL("jdbcUrl"),
        HOST("host"),
        PORT("port"),
        DATABASE("database"),
        USER("user"),
        PASSWORD("password");

        private final String standard;

        Field(String standard) {
            this.standard = standard;
        }
    }

    private HttpTenantCredentials(Builder b) {
        url = b.url;
        grant = b.grant;
        jdbcUrl = b.jdbcUrl;
        fields = new EnumMap<>(b.fields);
        numericTenants = b.numericTenants;
        calls = new HttpCalls(b.timeout);
        tokens = new AccessTokens(calls, grant::request, b.clock);
    }

    /** @param url of the service; {@code {tenant}} in it stands for the tenant */
    public static Builder builder(String url, OAuthGrant grant) {
        return new Builder(url, grant);
    }

    /**
     * The service that the environment variables of nsj-queue-lib name, asked as its workers do: tenants are numbers, the host is in
     * {@code hostname} and the database in {@code db_name}. Empty where {@code MULTI_DATABASE} is not {@code true}. All variables are
     * needed; there are no default URLs.
     */
    public static Optional<HttpTenantCredentials> fromEnvironment(Map<String, String> variables) {
        if (!"true".equalsIgnoreCase(variables.get("MULTI_DATABASE"))) {
            return Optional.empty();
        }
        String tokenUrl = "OAUTH_TOKEN_URL";
        String clientId = "MULTI_DATABASE_CLIENT_ID";
        String user = "MULTI_DATABASE_USER";
        String password = "MULTI_DATABASE_PASSWORD";
        String url = "MULTI_DATABASE_API_CREDETIALS_URL";
        refuseMissing(variables, List.of(user, password, clientId, url, tokenUrl));
        UnaryOperator<String> value = name -> variables.getOrDefault(name, "");
        OAuthGrant grant = OAuthGrant.password(
                value.apply(tokenUrl), value.apply(clientId), value.apply(user), value.apply(password));
        return Optional.of(builder(value.apply(url), grant)
                .field(Field.HOST, "hostname")
                .field(Field.DATABASE, "db_name")
                .numericTenants()
                .build());
    }

    private static void refuseMissing(Map<String, String> variables, List<String> needed) {
        List<String> missing = needed.stream()
                .filter(name -> variables.getOrDefault(name, "").isBlank())
                .toList();
        if (!missing.isEmpty()) {
            throw new InvalidRequestException(
                    "environment", "has MULTI_DATABASE=true, but not " + String.join(", ", missing));
        }
    }

    @Override
    public TenantDatabase read(String tenant) {
        HttpUrl asked = urlFor(tenant);
        String token = tokens.get();
        HttpCalls.Answer answer = calls.send(request(asked, tenant, token));
        if (answer.status() == UNAUTHORIZED) {
            answer = calls.send(request(asked, tenant, tokens.insteadOf(token)));
        }
        if (answer.status() != OK) {
            throw new TenantException(asked + " answered " + answer.status()
                    + " when it was asked for the credentials of tenant '" + tenant + "'");
        }
        return database(AnswerFields.parse(asked.toString(), answer.body()));
    }

    private HttpUrl urlFor(String tenant) {
        if (tenant.equals(".") || tenant.equals("..")) {
            throw new TenantException("tenant '" + tenant + "' is a path of its own in a URL, and is not asked for");
        }
        String encoded = URLEncoder.encode(tenant, StandardCharsets.UTF_8).replace("+", "%20");
        return HttpUrl.parse("url", url.replace(TENANT, encoded));
    }

    private HttpRequest request(HttpUrl asked, String tenant, String token) {
        HttpRequest.Builder request = HttpRequest.newBuilder(asked.uri())
                .header("Authorization", "Bearer " + token)
                .header("Accept", "application/json");
        if (url.contains(TENANT)) {
            return request.build();
        }
        return request.header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(question(tenant)))
                .build();
    }

    private String question(String tenant) {
        ObjectNode question = JsonNodeFactory.instance.objectNode();
        if (numericTenants && WHOLE_NUMBER.matcher(tenant).matches()) {
            question.put("tenant", Long.parseLong(tenant));
        } else {
            question.put("tenant", tenant);
        }
        return question.toString();
    }

    private TenantDatabase database(AnswerFields answer) {
        Optional<String> whole = answer.text(name(Field.JDBC_URL));
        if (whole.isPresent() && answer.text(name(Field.HOST)).isPresent()) {
            throw answer.wrong(name(Field.JDBC_URL), "must not be beside " + name(Field.HOST));
        }
        String at = whole.orElseGet(() -> jdbcUrl(answer));
        if (!at.startsWith("jdbc:")) {
            throw answer.wrong(name(Field.JDBC_URL), "must begin with jdbc:");
        }
        return new TenantDatabase(at, answer.needed(name(Field.USER)), answer.needed(name(Field.PASSWORD)));
    }

    private String jdbcUrl(AnswerFields answer) {
        String host = answer.needed(name(Field.HOST));
        if (!HOST.matcher(host).matches()) {
            throw answer.wrong(name(Field.HOST), "must be the name or the address of a host");
        }
        long port = answer.number(name(Field.PORT)).orElseThrow(() -> answer.missing(name(Field.PORT)));
        if (port < 1 || port > HIGHEST_PORT) {
            throw answer.wrong(name(Field.PORT), "must be 1 to " + HIGHEST_PORT);
        }
        String database = answer.needed(name(Field.DATABASE));
        return jdbcUrl.replace("{host}", host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host)
                .replace("{port}", Long.toString(port))
                .replace(
                        "{database}",
                        URLEncoder.encode(database, StandardCharsets.UTF_8).replace("+", "%20"));
    }

    private String name(Field field) {
        return fields.getOrDefault(field, field.standard);
    }

    @Override
    public String toString() {
        return "HttpTenantCredentials[" + HttpUrl.parse("url", url.replace(TENANT, "tenant")) + ", " + grant + "]";
    }

    /** Describes the service. */
    public static final class Builder {
        private final String url;
        private final OAuthGrant grant;
        private final Map<Field, String> fields = new EnumMap<>(Field.class);
        private String jdbcUrl = "jdbc:postgresql://{host}:{port}/{database}";
        private boolean numericTenants;
        private Duration timeout = Duration.ofSeconds(5);
        private InstantSource clock = InstantSource.system();

        private Builder(String url, OAuthGrant grant) {
            HttpUrl.parse("url", url.replace(TENANT, "tenant"));
            this.url = url;
            this.grant = grant;
        }

        /** The name of a field in the service's answer. */
        public Builder field(Field field, String name) {
            fields.put(field, name);
            return this;
        }

        /**
         * The JDBC URL made of {@code {host}}, {@code {port}} and {@code {database}}; default
         * {@code jdbc:postgresql://{host}:{port}/{database}}. The database is percent-encoded.
         */
        public Builder jdbcUrl(String template) {
            if (!template.startsWith("jdbc:")) {
                throw new InvalidRequestException("jdbcUrl", "must begin with jdbc:");
            }
            this.jdbcUrl = template;
            return this;
        }

        /** In the JSON that is posted, tenants that are whole numbers are numbers; default text. */
        public Builder numericTenants() {
            this.numericTenants = true;
            return this;
        }

        /** How long one request may take, from the connect to the last byte; default 5 seconds. */
        public Builder timeout(Duration limit) {
            if (limit.isNegative() || limit.isZero()) {
                throw new InvalidRequestException("timeout", "must be more than zero, was " + limit);
            }
            this.timeout = limit;
            return this;
        }

        Builder clock(InstantSource source) {
            this.clock = source;
            return this;
        }

        public HttpTenantCredentials build() {
            return new HttpTenantCredentials(this);
        }
    }
}
