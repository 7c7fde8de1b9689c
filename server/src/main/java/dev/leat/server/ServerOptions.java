package dev.leat.server;

import dev.leat.error.InvalidRequestException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The address, the access rules and the limits of a server.
 *
 * @param host the address to listen on; default 127.0.0.1, which only this machine can reach
 * @param port the port; default 8770, and 0 takes a free one
 * @param exposure who may reach the server; default {@link Exposure#LOOPBACK}
 * @param tokens the {@link TokenFile} of the allowed callers; without one, every caller may do everything
 * @param auditLog a file that gets a line for each act of an operator; the logger {@code dev.leat.audit} gets these lines in any case
 * @param tls the certificate for HTTPS; without one, the server speaks HTTP
 * @param storageThreads how many storage calls run at the same time; default 16
 * @param waitingCalls how many calls can wait for a storage thread before the server answers 503; default 1,000
 * @param largestBody the largest request body in bytes; default 32 MiB
 * @param longestWait the longest wait of a take; a longer wait is cut to this; default 60 s
 * @param heartbeat the interval of WebSocket pings, at most a third of the idle timeout; default 10 s
 * @param missableHeartbeats how many pings can go unanswered before the connection is closed; default 3
 * @param idleTimeout how long a connection can be idle, or wait for its next request, before it is closed; default 75 s
 * @param requestTimeout the time limit for the headers of the first request, and for each body after its headers; default 30 s
 * @param mostConnections the largest number of connections; further connections are closed at once; default 10,000
 */
public record ServerOptions(
        String host,
        int port,
        Exposure exposure,
        Optional<Path> tokens,
        Optional<Path> auditLog,
        Optional<Tls> tls,
        int storageThreads,
        int waitingCalls,
        int largestBody,
        Duration longestWait,
        Duration heartbeat,
        int missableHeartbeats,
        Duration idleTimeout,
        Duration requestTimeout,
        int mostConnections) {
    private static final int LARGEST_PORT = 65_535;
    private static final Duration SHORTEST_HEARTBEAT = Duration.ofMillis(10);

    /** Who can reach a server without tokens. */
    public enum Exposure {
        /** Only programs on this machine; without tokens, the server refuses to start on another address. */
        LOOPBACK,
        /** Every program that reaches the address, with all permissions. */
        INSECURE
    }

    /**
     * A certificate and its key.
     *
     * @param certificate a PEM file with the certificate, followed by its intermediate certificates
     * @param key a PEM file
     */
    public record Tls(Path certificate, Path key) {}

    public ServerOptions {
        check("host", !host.isBlank(), "must not be blank");
        check("port", port >= 0 && port <= LARGEST_PORT, "must be from 0 to " + LARGEST_PORT + ", was " + port);
        check("storageThreads", storageThreads >= 1, "must be at least 1, was " + storageThreads);
        check("waitingCalls", waitingCalls >= 0, "must be at least 0, was " + waitingCalls);
        check("largestBody", largestBody >= 1, "must be at least 1, was " + largestBody);
        check(
                "heartbeat",
                heartbeat.compareTo(SHORTEST_HEARTBEAT) >= 0,
                "must be at least " + SHORTEST_HEARTBEAT + ", was " + heartbeat);
        check("missableHeartbeats", missableHeartbeats >= 0, "must be at least 0, was " + missableHeartbeats);
        check(
                "idleTimeout",
                idleTimeout.compareTo(Duration.ofDays(1)) <= 0,
                "must be at most a day, was " + idleTimeout);
        check(
                "requestTimeout",
                requestTimeout.compareTo(Duration.ZERO) > 0 && requestTimeout.compareTo(Duration.ofDays(1)) <= 0,
                "must be more than 0 and at most a day, was " + requestTimeout);
        check("mostConnections", mostConnections >= 1, "must be at least 1, was " + mostConnections);
        check(
                "longestWait",
                longestWait.compareTo(idleTimeout) < 0,
                "must be shorter than the idle timeout of " + idleTimeout + ", was " + longestWait);
    }

    private static void check(String field, boolean isRight, String problem) {
        if (!isRight) {
            throw new InvalidRequestException(field, problem);
        }
    }

    public static ServerOptions standard() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** A builder with the default options. */
    public static final class Builder {
        private String host = "127.0.0.1";
        private int port = 8770;
        private Exposure exposure = Exposure.LOOPBACK;
        private Optional<Path> tokens = Optional.empty();
        private Optional<Path> auditLog = Optional.empty();
        private Optional<Tls> tls = Optional.empty();
        private int storageThreads = 16;
        private int waitingCalls = 1_000;
        private int largestBody = 32 * 1024 * 1024;
        private Duration longestWait = Duration.ofSeconds(60);
        private Duration heartbeat = Duration.ofSeconds(10);
        private int missableHeartbeats = 3;
        private Duration idleTimeout = Duration.ofSeconds(75);
        private Duration requestTimeout = Duration.ofSeconds(30);
        private int mostConnections = 10_000;

        private Builder() {}

        public Builder host(String host) {
            this.host = host;
            return this;
        }

        public Builder port(int port) {
            this.port = port;
            return this;
        }

        public Builder exposure(Exposure exposure) {
            this.exposure = exposure;
            return this;
        }

        public Builder tokens(Path file) {
            this.tokens = Optional.of(file);
            return this;
        }

        public Builder auditLog(Path file) {
            this.auditLog = Optional.of(file);
            return this;
        }

        /** PEM files, which can be renewed while the server runs. */
        public Builder tls(Path certificate, Path key) {
            this.tls = Optional.of(new Tls(certificate, key));
            return this;
        }

        public Builder storageThreads(int storageThreads) {
            this.storageThreads = storageThreads;
            return this;
        }

        public Builder waitingCalls(int waitingCalls) {
            this.waitingCalls = waitingCalls;
            return this;
        }

        public Builder largestBody(int largestBody) {
            this.largestBody = largestBody;
            return this;
        }

        public Builder longestWait(Duration longestWait) {
            this.longestWait = longestWait;
            return this;
        }

        public Builder heartbeat(Duration heartbeat) {
            this.heartbeat = heartbeat;
            return this;
        }

        public Builder missableHeartbeats(int missableHeartbeats) {
            this.missableHeartbeats = missableHeartbeats;
            return this;
        }

        public Builder idleTimeout(Duration idleTimeout) {
            this.idleTimeout = idleTimeout;
            return this;
        }

        public Builder requestTimeout(Duration requestTimeout) {
            this.requestTimeout = requestTimeout;
            return this;
        }

        public Builder mostConnections(int mostConnections) {
            this.mostConnections = mostConnections;
            return this;
        }

        public ServerOptions build() {
            return new ServerOptions(
                    host,
                    port,
                    exposure,
                    tokens,
                    auditLog,
                    tls,
                    storageThreads,
                    waitingCalls,
                    largestBody,
                    longestWait,
                    heartbeat,
                    missableHeartbeats,
                    idleTimeout,
                    requestTimeout,
                    mostConnections);
        }
    }
}
