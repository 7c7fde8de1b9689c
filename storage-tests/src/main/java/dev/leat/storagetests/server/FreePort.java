package dev.leat.storagetests.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds a port that a server can use again after a restart.
 *
 * <p>Not one that the kernel gives to outgoing connections (Linux: from 32768, macOS: from 49152): while the server is
 * down such a port can go to a client, even to one that reconnects to this very port and so talks to itself.
 */
public final class FreePort {
    private static final int LOWEST = 20_000;
    private static final int LIMIT = 32_000;
    private static final int TRIES = 1_000;

    private FreePort() {}

    public static int find() {
        return ThreadLocalRandom.current()
                .ints(TRIES, LOWEST, LIMIT)
                .filter(FreePort::isFree)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no free port from " + LOWEST + " to " + (LIMIT - 1)));
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
