package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.leat.Leat;
import dev.leat.error.InvalidRequestException;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** HTTPS, with certificates that the JDK's keytool makes. */
@Tag("jvm")
class TlsTest {
    private static final char[] PASSWORD = "password".toCharArray();

    /** The preface and empty settings. */
    private static final String HTTP2_START = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, "");

    /** Headers that are also the end: GET, https, the path, the authority. */
    private static final String HTTP2_GET = frame(1, 5, 1, "\u0082\u0087\u0004\f/health/live\u0001\tlocalhost");

    private static final String HTTP2_PING = frame(6, 0, 0, "12345678");

    private static String frame(int type, int flags, int stream, String content) {
        return "\0\0" + (char) content.length() + (char) type + (char) flags + "\0\0\0" + (char) stream + content;
    }

    @TempDir
    Path folder;

    private Leat leat;
    private Path certificate;
    private Path key;

    @BeforeEach
    void start() throws Exception {
        leat = Leat.open("memory:");
        certificate = folder.resolve("server.crt");
        key = folder.resolve("server.key");
        use(make("first", "EC", "secp256r1"));
    }

    @AfterEach
    void stop() {
        leat.close();
    }

    private LeatServer serve() {
        return LeatServer.start(
                leat,
                ServerOptions.builder()
                        .port(0)
                        .tls(certificate, key)
                        .requestTimeout(Duration.ofSeconds(2))
                        .build());
    }

    /** A key and a certificate that it has signed itself. */
    private record Made(Certificate certificate, byte[] key) {
        String certificatePem() throws Exception {
            return pem("CERTIFICATE", certificate.getEncoded());
        }

        String keyPem() {
            return pem("PRIVATE KEY", key);
        }

        private static String pem(String what, byte[] bytes) {
            return "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END "
                    + what + "-----\n";
        }
    }

    private Made make(String name, String algorithm, String size) throws Exception {
        Path file = folder.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "it",
                        "-keyalg",
                        algorithm,
                        algorithm.equals("EC") ? "-groupname" : "-keysize",
                        size,
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes());
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(keytool.exitValue()).as(said).isZero();
        KeyStore store = KeyStore.getInstance(file.toFile(), PASSWORD);
        return new Made(store.getCertificate("it"), store.getKey("it", PASSWORD).getEncoded());
    }

    /** As tools that renew certificates do: another file in the place of the old one. */
    private void use(Made made) throws Exception {
        replace(certificate, made.certificatePem());
        replace(key, made.keyPem());
    }

    private void replace(Path file, String text) throws IOException {
        Path written = Files.writeString(folder.resolve("new"), text);
        Files.move(written, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Trusts these and nothing else; speaks to no server twice over the same connection. */
    private static HttpResponse<String> ask(int port, Made... trusted) throws Exception {
        return HttpClient.newBuilder()
                .sslContext(trust(trusted))
                .build()
                .send(
                        HttpRequest.newBuilder(URI.create("https://localhost:" + port + "/health/ready"))
                                .timeout(Duration.ofSeconds(20))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private static SSLContext trust(Made... trusted) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        for (int i = 0; i < trusted.length; i++) {
            store.setCertificateEntry("c" + i, trusted[i].certificate());
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private static String shown(HttpResponse<?> response) throws IOException {
        return ((X509Certificate) response.sslSession().orElseThrow().getPeerCertificates()[0])
                .getSubjectX500Principal()
                .getName();
    }

    @ParameterizedTest
    @CsvSource({"EC, secp256r1", "RSA, 2048"})
    void theServerShowsItsCertificateAndSpeaksHttp2(String algorithm, String size) throws Exception {
        Made made = make("shown", algorithm, size);
        use(made);
        try (LeatServer server = serve()) {
            HttpResponse<String> response = ask(server.port(), made);

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(shown(response)).isEqualTo("CN=shown");
            assertThat(response.sslSession().orElseThrow().getProtocol()).isEqualTo("TLSv1.3");
            assertThatThrownBy(() -> ask(server.port(), make("stranger", "EC", "secp256r1")))
                    .isInstanceOf(SSLHandshakeException.class);
        }
    }

    @Test
    void inClearTextNothingIsAnswered() throws IOException {
        try (LeatServer server = serve();
                RawClient client = new RawClient(server.port())) {
            client.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");

            String answer = client.line();
            assertThat(answer == null || !answer.contains("HTTP")).as(answer).isTrue();
        }
    }

    @Test
    void whoDoesNotFinishTheHandshakeIsLetGo() throws IOException {
        try (LeatServer server = serve();
                RawClient client = new RawClient(server.port())) {
            long began = System.nanoTime();

            assertThat(client.line()).isNull();

            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
        }
    }

    /** To Vert.x a connection with pings is never idle. */
    @Test
    void pingsDoNotKeepAConnection() throws Exception {
        Made made = make("pinged", "EC", "secp256r1");
        use(made);
        Duration idle = Duration.ofSeconds(2);
        try (LeatServer server = LeatServer.start(
                        leat,
                        ServerOptions.builder()
                                .port(0)
                                .tls(certificate, key)
                                .requestTimeout(Duration.ofMillis(500))
                                .idleTimeout(idle)
                                .longestWait(Duration.ofSeconds(1))
                                .build());
                RawClient asking = new RawClient(http2(server.port(), made));
                RawClient silent = new RawClient(http2(server.port(), made))) {
            asking.send(HTTP2_START + HTTP2_GET);
            silent.send(HTTP2_START);

            assertThat(silent.sendUntilClosed(HTTP2_PING)).isLessThan(idle);
            assertThat(asking.sendUntilClosed(HTTP2_PING)).isBetween(Duration.ofMillis(500), idle.multipliedBy(4));
        }
    }

    private static Socket http2(int port, Made made) throws Exception {
        SSLSocket socket = (SSLSocket) trust(made).getSocketFactory().createSocket("127.0.0.1", port);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
        return socket;
    }

    @Test
    void aRenewedCertificateIsUsedWithoutARestart() throws Exception {
        Made first = make("before", "EC", "secp256r1");
        Made second = make("after", "RSA", "2048");
        use(first);
        try (LeatServer server = serve()) {
            assertThat(shown(ask(server.port(), first, second))).isEqualTo("CN=before");

            use(second);

            await().untilAsserted(() ->
                    assertThat(shown(ask(server.port(), first, second))).isEqualTo("CN=after"));
            assertThat(ask(server.port(), second).version()).isEqualTo(HttpClient.Version.HTTP_2);
        }
    }

    @Test
    void aCertificateWithoutItsKeyIsNotUsed() throws Exception {
        Made first = make("before", "EC", "secp256r1");
        Made second = make("after", "EC", "secp256r1");
        use(first);
        try (LeatServer server = serve();
                StandardError error = new StandardError()) {
            replace(certificate, second.certificatePem());
            await().until(() -> error.text().contains("is not the key of the certificate"));
            assertThat(shown(ask(server.port(), first))).isEqualTo("CN=before");

            replace(key, second.keyPem());
            await().untilAsserted(() ->
                    assertThat(shown(ask(server.port(), first, second))).isEqualTo("CN=after"));
        }
    }

    @Test
    void filesThatAreGoneChangeNothing() throws Exception {
        Made made = make("kept", "EC", "secp256r1");
        use(made);
        try (LeatServer server = serve();
                StandardError error = new StandardError()) {
            Files.delete(key);
            await().until(() -> error.text().contains("tls.key cannot be read"));

            assertThat(ask(server.port(), made).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void wrongFilesAreExplainedAtTheStart() throws Exception {
        Files.writeString(key, make("other", "EC", "secp256r1").keyPem());
        assertThatThrownBy(this::serve)
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("is not the key of the certificate");

        Files.writeString(key, make("another", "RSA", "2048").keyPem());
        assertThatThrownBy(this::serve)
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("private key algorithm does not match");

        Files.writeString(key, "nonsense");
        assertThatThrownBy(this::serve)
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("must be a certificate and its key in PEM");

        Files.delete(key);
        assertThatThrownBy(this::serve)
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("tls.key cannot be read");
    }
}
