package dev.leat.sql.fault;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Stands between a client and a server on this machine and cuts the line when it is told to: once, at the next message that
 * contains some words. Each direction of each connection has a daemon thread; {@link #close} ends them all.
 */
public final class CuttingProxy implements AutoCloseable {
    /** Where the line is cut. */
    public enum Where {
        /** The server never sees the message. */
        BEFORE_THE_SERVER,
        /** The server has answered the message, and the client never sees it. */
        BEFORE_THE_ANSWER
    }

    private record Cut(Where where, Pattern words, Runnable then) {}

    private final ServerSocket door;
    private final int serverPort;
    private final AtomicReference<Cut> next = new AtomicReference<>();
    private final Set<Line> lines = ConcurrentHashMap.newKeySet();
    private volatile boolean down;

    public CuttingProxy(int serverPort) {
        this.serverPort = serverPort;
        try {
            this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::serve);
    }

    public int port() {
        return door.getLocalPort();
    }

    /** Cuts the connection on which words are sent next that the regular expression describes. */
    public void cut(Where where, String words) {
        next.set(new Cut(where, Pattern.compile(words), () -> {}));
    }

    /** The same, and no connection works from then on until {@link #comeBack}. */
    public void cutAndStayDown(Where where, String words) {
        next.set(new Cut(where, Pattern.compile(words), this::goDown));
    }

    public boolean hasCut() {
        return next.get() == null;
    }

    /** Ends all connections, and lets nobody in until {@link #comeBack}. */
    public void goDown() {
        down = true;
        lines.forEach(Line::close);
    }

    public void comeBack() {
        down = false;
    }

    private void serve() {
        while (!door.isClosed()) {
            try {
                Socket client = door.accept();
                if (down) {
                    client.close();
                } else {
                    new Line(client, new Socket(InetAddress.getLoopbackAddress(), serverPort)).start();
                }
            } catch (IOException e) {
                // closed, or a client that has gone: the next one may stay
            }
        }
    }

    @Override
    public void close() {
        try {
            door.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        lines.forEach(Line::close);
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "cutting-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private final class Line {
        private final Socket client;
        private final Socket server;
        private volatile Cut answerTo;

        Line(Socket client, Socket server) throws IOException {
            this.client = client;
            this.server = server;
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
        }

        void start() {
            lines.add(this);
            daemon(() -> pump(client, server, this::mayPassToServer));
            daemon(() -> pump(server, client, message -> mayPassToClient()));
        }

        private boolean mayPassToServer(String message) {
            Cut cut = next.get();
            if (cut == null || !cut.words.matcher(message).find() || !next.compareAndSet(cut, null)) {
                return true;
            }
            if (cut.where == Where.BEFORE_THE_ANSWER) {
                answerTo = cut;
                return true;
            }
            cut.then.run();
            return false;
        }

        private boolean mayPassToClient() {
            Cut cut = answerTo;
            if (cut == null) {
                return true;
            }
            cut.then.run();
            return false;
        }

        private void pump(Socket from, Socket to, Predicate<String> mayPass) {
            byte[] buffer = new byte[1 << 16];
            try (this.client;
                    this.server) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    if (!mayPass.test(new String(buffer, 0, n, ISO_8859_1))) {
                        break;
                    }
                    out.write(buffer, 0, n);
                }
            } catch (IOException e) {
                // one side has hung up
            } finally {
                lines.remove(this);
            }
        }

        void close() {
            try (client;
                    server) {
                lines.remove(this);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
