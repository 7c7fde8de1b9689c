package dev.leat.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.leat.error.InvalidRequestException;
import dev.leat.tenant.CredentialsService.Request;
import dev.leat.tenant.HttpTenantCredentials.Field;
import dev.leat.testkit.ManualClock;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A real service on this machine is asked. Every secret has "hush" in it. Covers N55. */
class HttpTenantCredentialsTest {
    private static final int THREADS = 16;

    private final CredentialsService service = new CredentialsService();
    private final ManualClock clock = new ManualClock();
    private final HttpTenantCredentials credentials = at("/credentials").build();

    @AfterEach
    void stop() {
        service.close();
    }

    private HttpTenantCredentials.Builder at(String path) {
        return HttpTenantCredentials.builder(service.url(path), service.grant()).clock(clock);
    }

    private static void assertNoSecret(Throwable e) {
        StringWriter text = new StringWriter();
        e.printStackTrace(new PrintWriter(text, true));
        assertThat(text.toString()).doesNotContain("hush");
    }

    @Test
    void theServiceIsAskedWithATokenAndTellsTheDatabase() { // N55
        TenantDatabase database = credentials.read("acme \"x\"");

        assertThat(database).isEqualTo(new TenantDatabase("jdbc:postgresql://db.example:5432/shop", "app", "hush-db"));
        assertThat(service.requests)
                .containsExactly(new Request(
                        "POST", "/credentials", Optional.of("Bearer hush.token.1"), "{\"tenant\":\"acme \\\"x\\\"\"}"));
        assertThat(service.tokenRequests).singleElement().satisfies(request -> assertThat(
                        request.body().split("&"))
                .containsExactlyInAnyOrder(
                        "grant_type=password", "username=ada", "password=hush-user", "client_id=leat"));
    }

    @Test
    void aUrlWithAPlaceForTheTenantIsAskedByGet() {
        at("/credentials/{tenant}?for={tenant}").build().read("a/b c?");

        assertThat(service.requests)
                .containsExactly(new Request(
                        "GET", "/credentials/a%2Fb%20c%3F?for=a%2Fb%20c%3F", Optional.of("Bearer hush.token.1"), ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {".", ".."})
    void aTenantThatIsAPathIsNotAskedFor(String tenant) {
        assertThatThrownBy(() -> at("/credentials/{tenant}").build().read(tenant))
                .isInstanceOf(TenantException.class);
        assertThat(service.requests).isEmpty();
    }

    @Test
    void theClientsOwnAccountAsksWithItsSecretInTheHeader() {
        OAuthGrant grant = OAuthGrant.clientCredentials(service.url("/token"), "le at", "hush:client")
                .scope("read all");

        HttpTenantCredentials.builder(service.url("/credentials"), grant)
                .build()
                .read("acme");

        Request request = service.tokenRequests.get(0);
        assertThat(request.body().split("&"))
                .containsExactlyInAnyOrder("grant_type=client_credentials", "scope=read+all");
        String basic = request.authorization().orElseThrow().substring("Basic ".length());
        assertThat(new String(Base64.getDecoder().decode(basic), StandardCharsets.UTF_8))
                .isEqualTo("le+at:hush%3Aclient");
    }

    @Test
    void aUsersAccountMayNeedTheSecretOfTheClientToo() {
        HttpTenantCredentials.builder(
                        service.url("/credentials"), service.grant().clientSecret("hush-client"))
                .build()
                .read("acme");

        Request request = service.tokenRequests.get(0);
        assertThat(request.authorization()).isPresent();
        assertThat(request.body()).contains("username=ada").doesNotContain("client");
    }

    @Test
    void theServiceMayTellAWholeUrl() {
        service.answer = "{\"jdbcUrl\":\"jdbc:sqlite:a.db\",\"user\":\"\",\"password\":\"\",\"since\":2020}";

        assertThat(credentials.read("acme")).isEqualTo(new TenantDatabase("jdbc:sqlite:a.db", "", ""));
    }

    @Test
    void fieldsAndTheUrlMadeOfThemCanBeNamed() {
        service.answer =
                "{\"server\":\"::1\",\"port\":\"3306\",\"database\":\"a b\",\"login\":\"u\",\"password\":\"p\"}";

        TenantDatabase database = at("/credentials")
                .field(Field.HOST, "server")
                .field(Field.USER, "login")
                .jdbcUrl("jdbc:mariadb://{host}:{port}/{database}?useCompression=true")
                .build()
                .read("acme");

        assertThat(database)
                .isEqualTo(new TenantDatabase("jdbc:mariadb://[::1]:3306/a%20b?useCompression=true", "u", "p"));
    }

    /** Drivers load classes that a URL names. */
    @Test
    void aHostOrADatabaseCannotAddParametersToTheUrl() {
        service.answer = CredentialsService.ANSWER.replace("shop", "shop?socketFactory=evil");
        assertThat(credentials.read("acme").jdbcUrl()).endsWith(":5432/shop%3FsocketFactory%3Devil");

        service.answer = CredentialsService.ANSWER.replace("db.example", "db/x?socketFactory=evil#");
        assertThatThrownBy(() -> credentials.read("acme")).hasMessageContaining("host");
    }

    @Test
    void aTokenIsKeptUntilTenSecondsBeforeItsEnd() { // N55
        credentials.read("acme");
        clock.advance(Duration.ofMillis(49_999));
        credentials.read("acme");
        credentials.read("other");
        assertThat(service.tokenRequests).hasSize(1);

        clock.advance(Duration.ofMillis(1));
        credentials.read("acme");
        credentials.read("acme");

        assertThat(service.tokenRequests).hasSize(2);
        assertThat(service.requests)
                .extracting(request -> request.authorization().orElseThrow())
                .containsExactly(
                        "Bearer hush.token.1",
                        "Bearer hush.token.1",
                        "Bearer hush.token.1",
                        "Bearer hush.token.2",
                        "Bearer hush.token.2");
    }

    @Test
    void aShortLivedTokenIsKeptForHalfOfItsLife() {
        service.tokenAnswer = "{\"access_token\":\"TOKEN\",\"expires_in\":8}";
        credentials.read("acme");
        clock.advance(Duration.ofMillis(3_999));
        credentials.read("acme");
        assertThat(service.tokenRequests).hasSize(1);

        clock.advance(Duration.ofMillis(1));
        credentials.read("acme");
        assertThat(service.tokenRequests).hasSize(2);
    }

    @Test
    void aTokenThatTellsNoEndIsKeptUntilItIsRefused() {
        service.tokenAnswer = "{\"access_token\":\"TOKEN\"}";
        credentials.read("acme");
        clock.advance(Duration.ofDays(1000));
        credentials.read("acme");
        assertThat(service.tokenRequests).hasSize(1);

        service.forgetToken();
        credentials.read("acme");
        assertThat(service.tokenRequests).hasSize(2);
    }

    @Test
    void manyWhoNeedATokenAtOnceShareOne() throws Exception {
        service.tokenGate = new CountDownLatch(1);
        Together<TenantDatabase> readers = new Together<>(THREADS, () -> credentials.read("acme")).awaitWaiting();
        service.tokenGate.countDown();

        assertThat(readers.results()).hasSize(THREADS);
        assertThat(service.tokenRequests).hasSize(1);
    }

    @Test
    void manyWhoWaitForATokenShareTheFailureAndTheNextTriesAgain() throws Exception {
        service.tokenGate = new CountDownLatch(1);
        service.tokenStatus = 503;
        Together<TenantDatabase> readers = new Together<>(THREADS, () -> credentials.read("acme")).awaitWaiting();
        service.tokenGate.countDown();

        assertThat(readers.failures()).hasSize(THREADS).allSatisfy(e -> assertThat(e)
                .isInstanceOf(TenantException.class)
                .hasMessageContaining("answered 503"));
        assertThat(service.tokenRequests).hasSize(1);

        service.tokenStatus = 200;
        assertThat(credentials.read("acme").user()).isEqualTo("app");
    }

    @Test
    void aRefusedTokenLeadsToANewOneAndOneMoreTry() {
        credentials.read("acme");
        service.forgetToken();

        assertThat(credentials.read("acme").user()).isEqualTo("app");

        assertThat(service.tokenRequests).hasSize(2);
        assertThat(service.requests).hasSize(3);
    }

    @Test
    void aTokenThatIsRefusedAgainIsAnError() {
        service.status = 401;

        assertThatThrownBy(() -> credentials.read("acme"))
                .isInstanceOf(TenantException.class)
                .hasMessage(service.url("/credentials")
                        + " answered 401 when it was asked for the credentials of tenant 'acme'");
        assertThat(service.tokenRequests).hasSize(2);
        assertThat(service.requests).hasSize(2);
    }

    @Test
    void manyWhoseTokenIsRefusedShareANewOne() throws Exception {
        credentials.read("acme");
        service.forgetToken();
        service.gate = new CountDownLatch(1);
        Together<TenantDatabase> readers = new Together<>(THREADS, () -> credentials.read("acme")).awaitWaiting();
        service.gate.countDown();

        assertThat(readers.results()).hasSize(THREADS);
        assertThat(service.tokenRequests).hasSize(2);
    }

    @Test
    void aTokenThatOthersGotMeanwhileIsUsedInsteadOfARefusedOne() throws Exception {
        credentials.read("acme");
        CountDownLatch gate = new CountDownLatch(1);
        service.gate = gate;
        Together<TenantDatabase> late = new Together<>(1, () -> credentials.read("late"));
        await().until(() -> service.requests.size() == 2);
        service.gate = new CountDownLatch(0);
        service.forgetToken();
        credentials.read("acme");

        gate.countDown();

        assertThat(late.results()).hasSize(1);
        assertThat(service.tokenRequests).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {302, 403, 404, 500})
    void anotherAnswerThan200IsAnErrorThatNamesTheUrlWithoutItsParameters(int status) {
        service.status = status;
        HttpTenantCredentials keyed = at("/credentials/{tenant}?key=hush-key").build();

        Throwable e = catchThrowable(() -> keyed.read("acme"));

        assertThat(e)
                .isInstanceOf(TenantException.class)
                .hasMessage(service.url("/credentials/acme") + " answered " + status
                        + " when it was asked for the credentials of tenant 'acme'");
        assertNoSecret(e);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"error\":\"invalid_grant\",\"error_description\":\"hush-user is wrong\"} | answered 400 (invalid_grant) when",
                "{\"error\":\"hush-user is wrong\"} | answered 400 when",
                "<html>hush</html> | answered 400 when"
            })
    void aRefusedGrantTellsTheReasonIfItIsAKnownOne(String answer, String message) {
        service.tokenStatus = 400;
        service.tokenAnswer = answer;

        Throwable e = catchThrowable(() -> credentials.read("acme"));

        assertThat(e).isInstanceOf(TenantException.class).hasMessageContainingAll(service.url("/token"), message);
        assertNoSecret(e);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "hush | not valid JSON",
                "{\"access_token\":hush} | not valid JSON",
                "{\"access_token\":\"hush\"} {} | not valid JSON",
                "[\"hush\"] | instead of a JSON object",
                "{\"token\":\"hush\"} | access_token that is missing",
                "{\"access_token\":[\"hush\"]} | access_token that must be a string",
                "{\"access_token\":\"hush\\r\\nX: y\"} | access_token that has other characters",
                "{\"access_token\":\"hush\",\"token_type\":\"mac\"} | token_type that is not Bearer",
                "{\"access_token\":\"hush\",\"expires_in\":\"soon\"} | expires_in that must be a whole number",
                "{\"access_token\":\"hush\",\"expires_in\":-1} | expires_in that must be a whole number"
            })
    void aWrongTokenIsNamedButNotShown(String answer, String message) {
        service.tokenAnswer = answer;

        Throwable e = catchThrowable(() -> credentials.read("acme"));

        assertThat(e).isInstanceOf(TenantException.class).hasMessageContainingAll(service.url("/token"), message);
        assertNoSecret(e);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"password\":hush} | not valid JSON",
                "{\"password\":\"hush\",\"password\":\"hush\"} | not valid JSON",
                "{\"host\":\"h\",\"port\":1,\"database\":\"d\",\"user\":\"u\"} | password that is missing",
                "{\"host\":\"h\",\"port\":1,\"database\":\"d\",\"user\":\"u\",\"password\":null} | password that is missing",
                "{\"host\":\"h\",\"port\":1,\"database\":\"d\",\"user\":\"u\",\"password\":{\"hush\":1}} | password that must be a string",
                "{\"host\":\"h\",\"port\":0,\"database\":\"d\",\"user\":\"u\",\"password\":\"hush\"} | port that must be 1 to 65535",
                "{\"host\":\"h\",\"database\":\"d\",\"user\":\"u\",\"password\":\"hush\"} | port that is missing",
                "{\"host\":7,\"port\":1,\"database\":\"d\",\"user\":\"u\",\"password\":\"hush\"} | host that must be a string",
                "{\"user\":\"u\",\"password\":\"hush\"} | host that is missing",
                "{\"jdbcUrl\":\"hush://\",\"user\":\"u\",\"password\":\"hush\"} | jdbcUrl that must begin with jdbc:",
                "{\"jdbcUrl\":\"jdbc:hush\",\"host\":\"h\",\"user\":\"u\",\"password\":\"hush\"} | jdbcUrl that must not be beside host"
            })
    void aWrongFieldIsNamedButNotShown(String answer, String message) {
        service.answer = answer;

        Throwable e = catchThrowable(() -> credentials.read("acme"));

        assertThat(e).isInstanceOf(TenantException.class).hasMessageContainingAll(service.url("/credentials"), message);
        assertNoSecret(e);
    }

    /** Neither to its end, which never comes here. */
    @Test
    void anAnswerThatIsTooLongIsNotRead() {
        credentials.read("acme");
        service.answer = "\"" + "hush".repeat(50_000) + "\"";
        service.firstBytes = 100_000;
        service.bodyGate = new CountDownLatch(1);

        Throwable e = catchThrowable(() -> credentials.read("acme"));

        assertThat(e)
                .isInstanceOf(TenantException.class)
                .hasMessage(service.url("/credentials")
                        + " answered 200 with more than 65536 bytes, which is too long for what it was asked");
        assertNoSecret(e);
    }

    @Test
    void aServiceThatDoesNotAnswerIsGivenUp() {
        HttpTenantCredentials hurried =
                at("/credentials").timeout(Duration.ofMillis(300)).build();
        service.tokenGate = new CountDownLatch(1);

        assertThatThrownBy(() -> hurried.read("acme"))
                .isInstanceOf(TenantException.class)
                .hasMessage(service.url("/token") + " did not answer within PT0.3S");
    }

    @Test
    void aServiceThatStopsInTheMiddleOfItsAnswerIsGivenUp() {
        HttpTenantCredentials hurried =
                at("/credentials").timeout(Duration.ofMillis(300)).build();
        service.bodyGate = new CountDownLatch(1);

        assertThatThrownBy(() -> hurried.read("acme"))
                .isInstanceOf(TenantException.class)
                .hasMessage(service.url("/token") + " did not answer within PT0.3S");
    }

    @Test
    void aServiceThatIsNotThereIsNamed() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        String url = "http://127.0.0.1:" + port + "/token";
        OAuthGrant grant = OAuthGrant.password(url, "leat", "ada", "hush-user");

        assertThatThrownBy(() -> HttpTenantCredentials.builder(service.url("/credentials"), grant)
                        .build()
                        .read("acme"))
                .isInstanceOf(TenantException.class)
                .hasMessageContaining(url + " could not be asked: ConnectException");
    }

    @Test
    void whoIsInterruptedStopsAsking() throws Exception {
        service.gate = new CountDownLatch(1);
        Together<TenantDatabase> reader = new Together<>(1, () -> credentials.read("acme")).awaitWaiting();
        reader.interrupt();

        assertThat(reader.failures()).singleElement().satisfies(e -> assertThat(e)
                .isInstanceOf(TenantException.class)
                .hasMessageContaining("interrupted"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hush",
                "ftp://host/",
                "http:///path",
                "https://ada:hush@host/",
                "https://host/#hush",
                "http://hu sh/"
            })
    void aWrongUrlIsRefusedWhenItIsConfigured(String url) {
        Throwable e = catchThrowable(() -> HttpTenantCredentials.builder(url, service.grant()));
        assertThat(e).isInstanceOf(InvalidRequestException.class).hasMessageStartingWith("url ");
        assertNoSecret(e);

        e = catchThrowable(() -> OAuthGrant.password(url, "leat", "ada", "hush-user"));
        assertThat(e).isInstanceOf(InvalidRequestException.class).hasMessageStartingWith("tokenUrl ");
        assertNoSecret(e);
    }

    @Test
    void nothingShowsASecretAsText() {
        HttpTenantCredentials keyed = HttpTenantCredentials.builder(
                        service.url("/credentials/{tenant}?key=hush"),
                        OAuthGrant.password(service.url("/token?key=hush"), "leat", "ada", "hush-user")
                                .clientSecret("hush-client"))
                .build();

        assertThat(keyed.toString())
                .isEqualTo("HttpTenantCredentials[" + service.url("/credentials/tenant") + ", OAuthGrant[password at "
                        + service.url("/token") + ", client leat]]");
        assertThat(keyed.read("acme").toString())
                .isEqualTo("TenantDatabase[jdbc:postgresql://db.example:5432/shop, user app]");
    }

    private Map<String, String> environment() {
        Map<String, String> variables = new HashMap<>();
        variables.put("MULTI_DATABASE", "True");
        variables.put("MULTI_DATABASE_USER", "ada");
        variables.put("MULTI_DATABASE_PASSWORD", "hush-user");
        variables.put("MULTI_DATABASE_CLIENT_ID", "leat");
        variables.put("MULTI_DATABASE_API_CREDETIALS_URL", service.url("/credentials"));
        variables.put("OAUTH_TOKEN_URL", service.url("/token"));
        return variables;
    }

    @Test
    void theEnvironmentOfNsjQueueLibIsUnderstood() { // N55
        service.answer =
                "{\"hostname\":\"erp\",\"port\":5432,\"db_name\":\"nasajon\",\"user\":\"u\",\"password\":\"p\"}";
        HttpTenantCredentials found =
                HttpTenantCredentials.fromEnvironment(environment()).orElseThrow();

        assertThat(found.read("47")).isEqualTo(new TenantDatabase("jdbc:postgresql://erp:5432/nasajon", "u", "p"));
        found.read("047");

        assertThat(service.requests)
                .extracting(Request::body)
                .containsExactly("{\"tenant\":47}", "{\"tenant\":\"047\"}");
        assertThat(service.tokenRequests.get(0).body()).contains("grant_type=password");
    }

    @Test
    void withoutMultiDatabaseTheEnvironmentSaysNothing() {
        assertThat(HttpTenantCredentials.fromEnvironment(Map.of())).isEmpty();
        assertThat(HttpTenantCredentials.fromEnvironment(Map.of("MULTI_DATABASE", "false")))
                .isEmpty();
    }

    @Test
    void allMissingVariablesAreNamedAtOnce() { // N55
        Map<String, String> variables = environment();
        variables.remove("MULTI_DATABASE_PASSWORD");
        variables.put("MULTI_DATABASE_API_CREDETIALS_URL", " ");
        variables.remove("OAUTH_TOKEN_URL");

        assertThatThrownBy(() -> HttpTenantCredentials.fromEnvironment(variables))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("environment has MULTI_DATABASE=true, but not MULTI_DATABASE_PASSWORD,"
                        + " MULTI_DATABASE_API_CREDETIALS_URL, OAUTH_TOKEN_URL");
    }
}
