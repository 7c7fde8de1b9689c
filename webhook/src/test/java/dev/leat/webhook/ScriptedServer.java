package dev.leat.webhook;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;

/** A server that does to each connection what a script says, byte by byte, be it HTTP or not. */
final class ScriptedServer implements AutoCloseable {
    /** What to do with a connection; it is closed afterwards. */
    interface Script {
        void play(Connection connection) throws Exception;
    }

    /** @param headers by name in any case */
    record Request(String line, Map<String, String> headers, byte[] body) {
        String header(String name) {
            return headers.get(name);
        }
    }

    private final ServerSocket socket;
    private final String scheme;
    private final Script script;
    private final AtomicInteger connections = new AtomicInteger();
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final List<Request> requests = new CopyOnWriteArrayList<>();

    private ScriptedServer(ServerSocket socket, String scheme, Script script) {
        this.socket = socket;
        this.scheme = scheme;
        this.script = script;
        daemon(this::accept).start();
    }

    static ScriptedServer start(Script script) throws IOException {
        return startAt("127.0.0.1", 0, script);
    }

    static ScriptedServer startAt(String address, int port, Script script) throws IOException {
        return new ScriptedServer(new ServerSocket(port, 50, InetAddress.getByName(address)), "http", script);
    }

    static ScriptedServer startTls(SSLContext tls, Script script) throws IOException {
        ServerSocket socket =
                tls.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        return new ScriptedServer(socket, "https", script);
    }

    /** Reads the request, then answers with these bytes. */
    static ScriptedServer answering(String answer) throws IOException {
        return start(connection -> {
            connection.readRequest();
            connection.send(answer);
        });
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "scripted-server");
        thread.setDaemon(true);
        return thread;
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket accepted = socket.accept();
                connections.incrementAndGet();
                open.add(accepted);
                daemon(() -> play(accepted)).start();
            } catch (IOException e) {
                return;
            }
        }
    }

    private void play(Socket accepted) {
        try (accepted) {
            script.play(new Connection(accepted));
        } catch (Exception e) {
            // The client left, which most scripts make it do.
        }
    }

    int port() {
        return socket.getLocalPort();
    }

    String url() {
        return url("127.0.0.1", "/hook");
    }

    String url(String host, String path) {
        return scheme + "://" + host + ":" + port() + path;
    }

    int connections() {
        return connections.get();
    }

    List<Request> requests() {
        return List.copyOf(requests);
    }

    @Override
    public void close() throws IOException {
        socket.close();
        for (Socket each : open) {
            each.close();
        }
    }

    /** A client, from the other side. */
    final class Connection {
        private final Socket socket;

        private Connection(Socket socket) {
            this.socket = socket;
        }

        Socket socket() {
            return socket;
        }

        Request readRequest() throws IOException {
            InputStream in = socket.getInputStream();
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
                int next = in.read();
                if (next < 0) {
                    throw new EOFException();
                }
                head.write(next);
            }
            List<String> lines = head.toString(ISO_8859_1).lines().toList();
            Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            for (String line : lines.subList(1, lines.size() - 1)) {
                String[] parts = line.split(": ", 2);
                headers.merge(parts[0], parts[1], (one, two) -> one + " AND " + two);
            }
            byte[] body = in.readNBytes(Integer.parseInt(headers.getOrDefault("Content-Length", "0")));
            Request request = new Request(lines.get(0), headers, body);
            requests.add(request);
            return request;
        }

        void send(String text) throws IOException {
            send(text.getBytes(ISO_8859_1));
        }

        void send(byte[] bytes) throws IOException {
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
        }

        /** Sends the same again and again, until the client has had enough. */
        void sendForEver(String text) throws IOException {
            byte[] bytes = text.getBytes(ISO_8859_1);
            while (true) {
                send(bytes);
            }
        }

        /** Sends a byte, then another one a moment later, and so on, until the client has had enough. */
        void dripForEver(String text) throws IOException {
            byte[] bytes = text.getBytes(ISO_8859_1);
            for (int i = 0; !clientLeavesWithin(10); i++) {
                send(Arrays.copyOfRange(bytes, i % bytes.length, i % bytes.length + 1));
            }
        }

        private boolean clientLeavesWithin(int millis) throws IOException {
            socket.setSoTimeout(millis);
            try {
                return socket.getInputStream().read() < 0;
            } catch (SocketTimeoutException e) {
                return false;
            }
        }

        void untilClientLeaves() throws IOException {
            socket.setSoTimeout(0);
            while (socket.getInputStream().read() >= 0) {
                // what it still says is of no interest
            }
        }

        /** Ends the connection with a reset instead of an orderly close. */
        void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }
    }
}
