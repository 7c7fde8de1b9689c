package dev.leat.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.standardwebhooks.Webhook;
import dev.leat.Payload;
import dev.leat.error.InvalidRequestException;
import dev.leat.webhook.internal.SigningKey;
import java.net.http.HttpHeaders;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.EdECPrivateKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookSignatureTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String OTHER_SECRET = "whsec_" + Base64.getEncoder().encodeToString(new byte[32]);

    // As Standard Webhooks' own libraries test them.
    private static final String VECTOR_ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    private static final long VECTOR_TIME = 1614265330;
    private static final byte[] VECTOR_BODY = "{\"test\": 2432232314}".getBytes(UTF_8);
    private static final String VECTOR_HMAC = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    private static final String VECTOR_SEED = "whsk_VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=";
    private static final String VECTOR_ED25519 =
            "v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag==";

    private final Map<String, String> headers = new HashMap<>(Map.of(
            "webhook-id", VECTOR_ID,
            "webhook-timestamp", Long.toString(VECTOR_TIME),
            "webhook-signature", VECTOR_HMAC));

    private void verify(String key) {
        WebhookSignature.verify(List.of(key), headers::get, VECTOR_BODY, Instant.ofEpochSecond(VECTOR_TIME));
    }

    private void assertRefused() {
        assertThatExceptionOfType(InvalidSignatureException.class).isThrownBy(() -> verify(SECRET));
    }

    private static String sign(String... secrets) {
        return WebhookSignature.sign(
                Arrays.stream(secrets).map(SigningKey::parse).toList(), VECTOR_ID, VECTOR_TIME, VECTOR_BODY);
    }

    @Test
    void thePublishedVectorsAreMet() {
        assertThat(sign(SECRET)).isEqualTo(VECTOR_HMAC);
        assertThat(sign(VECTOR_SEED)).isEqualTo(VECTOR_ED25519);
        assertThat(sign(VECTOR_SEED, SECRET)).isEqualTo(VECTOR_ED25519 + " " + VECTOR_HMAC);
        verify(SECRET);
    }

    @Test
    void theStandardsLibraryAcceptsWhatIsSent() throws Exception {
        Message message = new Message("msg_42", Payload.of("{\"name\":\"Zoë\"}".getBytes(UTF_8), Payload.JSON));
        ScriptedServer.Request request = received(Endpoint.Method.POST, message, OTHER_SECRET, SECRET);

        HttpHeaders received = HttpHeaders.of(
                request.headers().entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, entry -> List.of(entry.getValue()))),
                (name, value) -> true);
        for (String secret : List.of(SECRET, OTHER_SECRET)) {
            assertThatCode(() -> new Webhook(secret).verify(new String(request.body(), UTF_8), received))
                    .doesNotThrowAnyException();
            WebhookSignature.verify(List.of(secret), request::header, request.body());
        }
        assertThatExceptionOfType(com.standardwebhooks.exceptions.WebhookVerificationException.class)
                .isThrownBy(() -> new Webhook(SECRET).verify("{\"name\":\"Zoe\"}", received));
    }

    @Test
    void whatTheStandardsLibrarySignsIsAccepted() throws Exception {
        headers.put(
                "webhook-signature",
                new Webhook(OTHER_SECRET).sign(VECTOR_ID, VECTOR_TIME, new String(VECTOR_BODY, UTF_8)));

        verify(OTHER_SECRET);
    }

    @Test
    void methodsWithoutABodySignAnEmptyOne() throws Exception {
        Message message = new Message("msg_43", Payload.of("not sent"));
        ScriptedServer.Request request = received(Endpoint.Method.DELETE, message, SECRET);

        WebhookSignature.verify(List.of(SECRET), request::header, new byte[0]);
    }

    @Test
    void ed25519IsAsTheJdkHasIt() throws Exception {
        KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        byte[] seed = ((EdECPrivateKey) pair.getPrivate()).getBytes().orElseThrow();
        byte[] encoded = pair.getPublic().getEncoded();
        byte[] point = Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length);
        byte[] both = Arrays.copyOf(seed, 64);
        System.arraycopy(point, 0, both, 32, 32);

        for (byte[] written : List.of(seed, both)) {
            String signature = sign("whsk_" + Base64.getEncoder().encodeToString(written));

            Signature jdk = Signature.getInstance("Ed25519");
            jdk.initVerify(pair.getPublic());
            jdk.update((VECTOR_ID + "." + VECTOR_TIME + ".").getBytes(UTF_8));
            jdk.update(VECTOR_BODY);
            assertThat(jdk.verify(Base64.getDecoder().decode(signature.substring("v1a,".length()))))
                    .isTrue();
            headers.put("webhook-signature", signature);
            verify("whpk_" + Base64.getEncoder().encodeToString(point));
        }
    }

    @Test
    void ed25519IsRefusedWithAnotherKey() throws Exception {
        headers.put("webhook-signature", VECTOR_ED25519);
        byte[] encoded = KeyPairGenerator.getInstance("Ed25519")
                .generateKeyPair()
                .getPublic()
                .getEncoded();
        String other = "whpk_"
                + Base64.getEncoder().encodeToString(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length));

        assertThatExceptionOfType(InvalidSignatureException.class).isThrownBy(() -> verify(other));
        headers.put("webhook-signature", "v1a,AAAA");
        assertThatExceptionOfType(InvalidSignatureException.class).isThrownBy(() -> verify(other));
    }

    @Test
    void oneRightSignatureAmongOthersIsEnough() {
        headers.put("webhook-signature", "v1,AAAA v2,abc nonsense v1,*** " + VECTOR_ED25519 + " " + VECTOR_HMAC);

        verify(SECRET);
        WebhookSignature.verify(
                List.of(OTHER_SECRET, SECRET), headers::get, VECTOR_BODY, Instant.ofEpochSecond(VECTOR_TIME));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "v1",
                "v1,",
                ",",
                "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
                "v1a,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
                "v1,h0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
                "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OA=",
                "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1A==",
                "v1,g0g=",
                "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
            })
    void wrongSignaturesAreRefused(String signature) {
        headers.put("webhook-signature", signature);

        assertRefused();
    }

    @Test
    void signaturesAreCheckedUpToALimit() {
        headers.put("webhook-signature", "v1,AAAA ".repeat(32) + VECTOR_HMAC);
        assertRefused();

        headers.put("webhook-signature", "v1,AAAA ".repeat(31) + VECTOR_HMAC);
        verify(SECRET);
    }

    @ParameterizedTest
    @ValueSource(strings = {"webhook-id", "webhook-timestamp", "webhook-signature"})
    void aMissingHeaderIsNamed(String name) {
        headers.remove(name);

        assertThatExceptionOfType(InvalidSignatureException.class)
                .isThrownBy(() -> verify(SECRET))
                .withMessageContaining(name);
    }

    @Test
    void anotherIdTimeOrBodyIsRefused() {
        assertThatExceptionOfType(InvalidSignatureException.class)
                .isThrownBy(() -> WebhookSignature.verify(
                        List.of(SECRET), headers::get, new byte[1], Instant.ofEpochSecond(VECTOR_TIME)));
        headers.put("webhook-timestamp", Long.toString(VECTOR_TIME + 1));
        assertRefused();
        headers.put("webhook-timestamp", Long.toString(VECTOR_TIME));
        headers.put("webhook-id", "msg_other");
        assertRefused();
    }

    @Test
    void fiveMinutesAreTolerated() {
        Instant signed = Instant.ofEpochSecond(VECTOR_TIME);
        for (long seconds : new long[] {-300, 0, 300}) {
            WebhookSignature.verify(List.of(SECRET), headers::get, VECTOR_BODY, signed.plusSeconds(seconds));
        }
        for (long seconds : new long[] {-301, 301}) {
            assertThatExceptionOfType(InvalidSignatureException.class)
                    .isThrownBy(() -> WebhookSignature.verify(
                            List.of(SECRET), headers::get, VECTOR_BODY, signed.plusSeconds(seconds)))
                    .withMessageContaining("301 s away");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"now", "1614265330.0", "-1614265330", "0x60378972", "99999999999999999999"})
    void aTimeThatIsNoneIsRefused(String timestamp) {
        headers.put("webhook-timestamp", timestamp);

        assertRefused();
    }

    @Test
    void aKeyThatIsNoneIsAMistakeOfTheReceiver() {
        for (String key : List.of("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whpk_AAAA", VECTOR_SEED)) {
            assertThatExceptionOfType(InvalidRequestException.class)
                    .isThrownBy(() -> verify(key))
                    .satisfies(e -> assertThat(e.field()).isEqualTo("keys"));
        }
    }

    private static ScriptedServer.Request received(Endpoint.Method method, Message message, String... secrets)
            throws Exception {
        try (WebhookSender sender =
                        WebhookSender.builder().allowNetwork("127.0.0.1").build();
                ScriptedServer server = ScriptedServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) {
            Endpoint.Builder endpoint = Endpoint.builder(server.url()).method(method);
            for (String secret : secrets) {
                endpoint.secret(secret);
            }
            sender.send(endpoint.build(), message);
            return server.requests().get(0);
        }
    }
}
