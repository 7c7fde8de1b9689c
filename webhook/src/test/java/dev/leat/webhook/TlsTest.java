package dev.leat.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.leat.Payload;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Receivers behind TLS, with a certificate for {@code hooks.test} that only {@link #tls} believes. */
class TlsTest {
    private static final Message MESSAGE = new Message("msg_1", Payload.of("hello"));

    @TempDir
    static Path directory;

    private static SSLContext tls;

    @BeforeAll
    static void makeCertificate() throws Exception {
        Path file = directory.resolve("hooks.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "hooks",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=hooks.test",
                        "-ext",
                        "san=dns:hooks.test",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        "changeit")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(keytool.waitFor(30, TimeUnit.SECONDS)).isTrue();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, "changeit".toCharArray());
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, "changeit".toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        KeyStore believed = KeyStore.getInstance("PKCS12");
        believed.load(null, null);
        believed.setCertificateEntry("hooks", store.getCertificate("hooks"));
        trust.init(believed);
        tls = SSLContext.getInstance("TLS");
        tls.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    }

    private static WebhookSender.Builder sender() {
        return WebhookSender.builder()
                .allowNetwork("127.0.0.0/8")
                .resolver(host -> List.of(InetAddress.getByName("127.0.0.1")));
    }

    private static DeliveryException fail(WebhookSender sender, String url) {
        Endpoint endpoint =
                Endpoint.builder(url).timeout(Duration.ofSeconds(10)).build();
        return catchThrowableOfType(DeliveryException.class, () -> sender.send(endpoint, MESSAGE));
    }

    private static ScriptedServer answering(String answer) throws Exception {
        return ScriptedServer.startTls(tls, c -> {
            c.readRequest();
            c.send(answer);
        });
    }

    @Test
    void theNameOfTheUrlIsToldThoughAnAddressIsCalled() throws Exception {
        SNIServerName[] asked = new SNIServerName[1];
        try (WebhookSender sender = sender().tls(tls).build();
                ScriptedServer server = ScriptedServer.startTls(tls, c -> {
                    c.readRequest();
                    ExtendedSSLSession session = (ExtendedSSLSession) ((SSLSocket) c.socket()).getSession();
                    asked[0] = session.getRequestedServerNames().get(0);
                    c.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                })) {
            Delivery delivery = sender.send(Endpoint.of(server.url("hooks.test", "/a")), MESSAGE);

            assertThat(delivery.answer().text()).isEqualTo("ok");
            assertThat(server.requests().get(0).header("Host")).isEqualTo("hooks.test:" + server.port());
            assertThat(asked[0]).isEqualTo(new SNIHostName("hooks.test"));
        }
    }

    @Test
    void aCertificateThatNobodyBelievesFails() throws Exception {
        try (WebhookSender sender = sender().build();
                ScriptedServer server = answering("HTTP/1.1 200 OK\r\n\r\n")) {
            DeliveryException e = fail(sender, server.url("hooks.test", "/a"));

            assertThat(e).hasMessageContaining("no TLS").hasMessageContaining("certification path");
            assertThat(e.retry()).isTrue();
            assertThat(server.requests()).isEmpty();
        }
    }

    @Test
    void aCertificateForAnotherNameFails() throws Exception {
        try (WebhookSender sender = sender().tls(tls).build();
                ScriptedServer server = answering("HTTP/1.1 200 OK\r\n\r\n")) {
            assertThat(fail(sender, server.url("other.test", "/a"))).hasMessageContaining("other.test found");
            assertThat(fail(sender, server.url("127.0.0.1", "/a"))).hasMessageContaining("127.0.0.1 found");
            assertThat(server.requests()).isEmpty();
        }
    }

    @Test
    void aHandshakeThatDripsEndsAtTheTimeout() throws Exception {
        try (WebhookSender sender = sender().tls(tls).build();
                ScriptedServer server = ScriptedServer.start(c -> {
                    c.send("\u0016\u0003\u0003\u0010\0");
                    c.dripForEver("\0");
                })) {
            Endpoint endpoint = Endpoint.builder("https://hooks.test:" + server.port())
                    .timeout(Duration.ofMillis(400))
                    .build();

            DeliveryException e = catchThrowableOfType(DeliveryException.class, () -> sender.send(endpoint, MESSAGE));

            assertThat(e).hasMessageContaining("no TLS");
        }
    }

    @Test
    void aServerWithoutTlsFails() throws Exception {
        try (WebhookSender sender = sender().tls(tls).build();
                ScriptedServer server = ScriptedServer.start(c -> {
                    c.send("HTTP/1.1 400 Speak plainly\r\n\r\n");
                    c.untilClientLeaves();
                })) {
            assertThat(fail(sender, "https://hooks.test:" + server.port())).hasMessageContaining("no TLS");
        }
    }
}
