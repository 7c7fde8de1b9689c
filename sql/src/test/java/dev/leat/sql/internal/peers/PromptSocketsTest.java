package dev.leat.sql.internal.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Uses a real socket on the other side. */
class PromptSocketsTest {
    private static final int SHORT_WAIT = 1;
    private static final int LONG = 60_000;
    /** The message of a timeout without a wait. */
    private static final String AT_ONCE = "no data available";

    private ServerSocket server;
    private Socket socket;
    private Socket peer;

    @BeforeEach
    void connect() throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        server = new ServerSocket(0, 1, here);
        socket = new PromptSockets().createSocket(here, server.getLocalPort());
        peer = server.accept();
    }

    @AfterEach
    void close() throws IOException {
        socket.close();
        peer.close();
        server.close();
    }

    @Test
    void aShortWaitWithoutDataTimesOutAtOnce() throws IOException {
        socket.setSoTimeout(SHORT_WAIT);

        assertThatExceptionOfType(SocketTimeoutException.class)
                .isThrownBy(() -> read(socket))
                .withMessage(AT_ONCE);
        assertThat(socket.getSoTimeout()).isEqualTo(SHORT_WAIT);
    }

    @Test
    void aSecondReadWaits() throws IOException {
        socket.setSoTimeout(SHORT_WAIT);
        assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> read(socket));

        assertThatExceptionOfType(SocketTimeoutException.class)
                .isThrownBy(() -> read(socket))
                .withMessageNotContaining(AT_ONCE);
    }

    @Test
    void aShortWaitReadsAvailableData() throws IOException {
        peer.getOutputStream().write(new byte[] {'a', 'b'});
        socket.setSoTimeout(LONG);
        assertThat(read(socket)).isEqualTo('a');

        socket.setSoTimeout(SHORT_WAIT);

        assertThat(read(socket)).isEqualTo('b');
    }

    @Test
    void aLongWaitAfterAShortOneWaits() throws IOException {
        InputStream in = socket.getInputStream();
        socket.setSoTimeout(SHORT_WAIT);
        assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> in.read(new byte[1], 0, 1));

        socket.setSoTimeout(LONG);
        peer.getOutputStream().write('c');

        assertThat(read(socket)).isEqualTo('c');
    }

    @Test
    void aLongWaitEndsWhenThePeerCloses() throws IOException {
        socket.setSoTimeout(LONG);
        peer.close();

        assertThat(read(socket)).isEqualTo(-1);
    }

    private static int read(Socket socket) throws IOException {
        byte[] one = new byte[1];
        return socket.getInputStream().read(one, 0, 1) < 0 ? -1 : one[0];
    }
}
