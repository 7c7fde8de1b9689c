package dev.leat.server;

import dev.leat.InvalidRequestException;
import java.time.Duration;

/**
 * How a server listens and what it bears. Immutable; each method gives a changed copy.
 *
 * @param host the address to listen on; default 127.0.0.1, which only this machine can reach
 * @param port the port; default 8770, and 0 takes a free one
 * @param exposure who may reach the server; default {@link Exposure#LOOPBACK}
 * @param storageThreads how many calls are made to the storage at a time; default 16
 * @param waitingCalls how many calls may wait for one of those before the server answers 503; default 1,000
 * @param largestBody how many bytes a request may have; default 32 MiB
 * @param longestWait the longest that a take waits, whatever it asks for; default 60 s
 * @param idleTimeout after how long a connection on which nothing happens is closed; default 75 s
 */
public record ServerOptions(
        String host,
        int port,
        Exposure exposure,
        int storageThreads,
        int waitingCalls,
        int largestBody,
        Duration longestWait,
        Duration idleTimeout) {
    private static final ServerOptions DEFAULT = new ServerOptions(
            "127.0.0.1",
            8770,
            Exposure.LOOPBACK,
            16,
            1_000,
            32 * 1024 * 1024,
            Duration.ofSeconds(60),
            Duration.ofSeconds(75));

    /** Who may reach a server that asks nobody for a token. */
    public enum Exposure {
        /** Programs on this machine; another address is refused at the start. */
        LOOPBACK,
        /** Everybody who can reach the address may do everything. */
        INSECURE
    }

    public ServerOptions {
        atLeast("port", 0, port);
        atLeast("storageThreads", 1, storageThreads);
        atLeast("waitingCalls", 0, waitingCalls);
        atLeast("largestBody", 1, largestBody);
        if (host.isBlank()) {
            throw new InvalidRequestException("host", "must not be blank");
        }
        if (idleTimeout.compareTo(Duration.ofDays(1)) > 0) {
            throw new InvalidRequestException("idleTimeout", "must be at most a day, was " + idleTimeout);
        }
        if (port > 65_535) {
            throw new InvalidRequestException("port", "must be at most 65535, was " + port);
        }
        if (longestWait.compareTo(idleTimeout) >= 0) {
            throw new InvalidRequestException(
                    "longestWait", "must be shorter than the idle timeout of " + idleTimeout + ", was " + longestWait);
        }
    }

    private static void atLeast(String field, int least, int value) {
        if (value < least) {
            throw new InvalidRequestException(field, "must be at least " + least + ", was " + value);
        }
    }

    public static ServerOptions standard() {
        return DEFAULT;
    }

    public ServerOptions host(String host) {
        return new ServerOptions(
                host, port, exposure, storageThreads, waitingCalls, largestBody, longestWait, idleTimeout);
    }

    public ServerOptions port(int port) {
        return new ServerOptions(
                host, port, exposure, storageThreads, waitingCalls, largestBody, longestWait, idleTimeout);
    }

    public ServerOptions exposure(Exposure exposure) {
        return new ServerOptions(
                host, port, exposure, storageThreads, waitingCalls, largestBody, longestWait, idleTimeout);
    }

    public ServerOptions storageThreads(int storageThreads) {
        return new ServerOptions(
                host, port, exposure, storageThreads, waitingCalls, largestBody, longestWait, idleTimeout);
    }

    public ServerOptions waitingCalls(int waitingCalls) {
        return new ServerOptions(
                host, port, exposure, storageThreads, waitingCalls, largestBody, longestWait, idleTimeout);
    }

    public ServerOptions largestBody(int largestBody) {
        return new ServerOptions(
                host, port, exposure, storageThreads, waitingCalls, largestBody, longestWait, idleTimeout);
    }

    public ServerOptions longestWait(Duration longestWait) {
        return new ServerOptions(
                host, port, exposure, storageThreads, waitingCalls, largestBody, longestWait, idleTimeout);
    }

    public ServerOptions idleTimeout(Duration idleTimeout) {
        return new ServerOptions(
                host, port, exposure, storageThreads, waitingCalls, largestBody, longestWait, idleTimeout);
    }
}
