package dev.leat.server.internal;

import dev.leat.error.InvalidRequestException;
import dev.leat.server.ServerOptions;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import javax.net.ssl.X509KeyManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate of a server with its key, from files that can be renewed while the server runs. Used by one thread at a time, which may
 * block.
 */
public final class Certificate {
    private static final Logger log = LoggerFactory.getLogger(Certificate.class);
    private static final List<String> PROTOCOLS = List.of("h2", "http/1.1");

    private final Vertx vertx;
    private final ServerOptions.Tls files;
    private Buffer certificate = Buffer.buffer();
    private Buffer key = Buffer.buffer();
    private String lastTrouble = "";

    public Certificate(Vertx vertx, ServerOptions.Tls files) {
        this.vertx = vertx;
        this.files = files;
    }

    /** Reads the files; throws if they are unreadable or do not match. */
    public PemKeyCertOptions read() {
        certificate = read("certificate", files.certificate());
        key = read("key", files.key());
        PemKeyCertOptions pair =
                new PemKeyCertOptions().setCertValue(certificate).setKeyValue(key);
        checkPair(pair);
        return pair;
    }

    /**
     * Uses changed files for new connections. While the files are wrong, the server keeps the last good certificate, and logs this once.
     */
    public void renew(HttpServer server) {
        try {
            if (read("certificate", files.certificate()).equals(certificate)
                    && read("key", files.key()).equals(key)) {
                return;
            }
            ServerSSLOptions renewed = new ServerSSLOptions();
            renewed.setKeyCertOptions(read()).setUseAlpn(true).setApplicationLayerProtocols(PROTOCOLS);
            server.updateSSLOptions(renewed)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join();
            lastTrouble = "";
            log.info("Read the renewed certificate from {}", files.certificate());
        } catch (InvalidRequestException | CompletionException e) {
            String trouble = String.valueOf(e.getMessage());
            if (!trouble.equals(lastTrouble)) {
                log.error("Keeps the last good certificate: {}", trouble);
                lastTrouble = trouble;
            }
        }
    }

    private static Buffer read(String what, Path file) {
        try {
            return Buffer.buffer(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new InvalidRequestException("tls." + what, "cannot be read: " + e, e);
        }
    }

    /** Checks that the key belongs to the certificate: otherwise every handshake would fail later. */
    private void checkPair(PemKeyCertOptions pair) {
        boolean isPair;
        try {
            X509KeyManager keys =
                    (X509KeyManager) pair.getKeyManagerFactory(vertx).getKeyManagers()[0];
            String name = Stream.of("RSA", "EC", "EdDSA")
                    .flatMap(type -> Stream.ofNullable(keys.getServerAliases(type, null)))
                    .flatMap(Stream::of)
                    .findFirst()
                    .orElseThrow(() -> new GeneralSecurityException("neither RSA nor EC nor EdDSA"));
            isPair = isPair(keys.getPrivateKey(name), keys.getCertificateChain(name)[0].getPublicKey());
        } catch (Exception e) { // declared by getKeyManagerFactory
            throw new InvalidRequestException(
                    "tls",
                    "must be a certificate and its key in PEM, were " + files.certificate() + " and " + files.key()
                            + ": " + e.getMessage(),
                    e);
        }
        if (!isPair) {
            throw new InvalidRequestException(
                    "tls.key", files.key() + " is not the key of the certificate " + files.certificate());
        }
    }

    private static boolean isPair(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
        String algorithm =
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> key.getAlgorithm();
                };
        byte[] text = new byte[] {1};
        Signature signing = Signature.getInstance(algorithm);
        signing.initSign(key);
        signing.update(text);
        Signature checking = Signature.getInstance(algorithm);
        checking.initVerify(certified);
        checking.update(text);
        return checking.verify(signing.sign());
    }
}
