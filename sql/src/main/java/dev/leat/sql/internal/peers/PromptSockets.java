package dev.leat.sql.internal.peers;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import javax.net.SocketFactory;

/**
 * Sockets for a connection that listens. PostgreSQL's driver returns a notification only after it has waited 1 ms for a second
 * one, a third of the time from a commit to the start of the handler. These sockets end such a wait at once if no data is
 * available. Public, because the driver loads the class by its name.
 */
public final class PromptSockets extends SocketFactory {

    @Override
    public Socket createSocket() {
        return new PromptSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connect(new PromptSocket(), new InetSocketAddress(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connect(new PromptSocket(), new InetSocketAddress(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(InetAddress.getByName(host), port, localHost, localPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        Socket socket = new PromptSocket();
        socket.bind(new InetSocketAddress(localHost, localPort));
        return connect(socket, new InetSocketAddress(host, port));
    }

    private static Socket connect(Socket socket, InetSocketAddress address) throws IOException {
        try {
            socket.connect(address);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static final class PromptSocket extends Socket {
        private static final int SHORT_WAIT_MILLIS = 1;

        /** Whether the next read must not wait. Later reads wait, so that a loop of reads does not spin. */
        private volatile boolean endsAtOnce;

        @Override
        public void setSoTimeout(int millis) throws SocketException {
            super.setSoTimeout(millis);
            endsAtOnce = millis == SHORT_WAIT_MILLIS;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    if (endsAtOnce) {
                        endsAtOnce = false;
                        if (in.available() == 0) {
                            throw new SocketTimeoutException("no data available");
                        }
                    }
                    return in.read(bytes, offset, length);
                }
            };
        }
    }
}
