package dev.leat.server;

import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Sends bytes as it likes. */
final class RawClient implements AutoCloseable {
    private static final int LONGEST_READ_MILLIS = 20_000;

    private final Socket socket;
    private final BufferedReader in;

    RawClient(int port) throws IOException {
        this(new Socket("127.0.0.1", port));
    }

    RawClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(LONGEST_READ_MILLIS);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /** Sends it again and again, so that the connection is never idle; answers after how long the server had enough. */
    Duration sendUntilClosed(String text) {
        long began = System.nanoTime();
        await().pollInterval(Duration.ofMillis(50))
                .atMost(Duration.ofSeconds(20))
                .until(() -> {
                    try {
                        send(text);
                        return false;
                    } catch (SocketException e) {
                        return true;
                    }
                });
        return Duration.ofNanos(System.nanoTime() - began);
    }

    String line() throws IOException {
        return in.readLine();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
