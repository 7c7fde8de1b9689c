package dev.leat.webhook.internal;

import dev.leat.Payload;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultBHttpClientConnection;
import org.apache.hc.core5.http.impl.io.DefaultHttpResponseParserFactory;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;

/**
 * Sends one request over a connection of its own and reads the answer. There is no proxy, no redirect, no cookie, no
 * second try and no decompression, because nothing here does them.
 *
 * <p>All of it runs on the caller's thread. At the deadline a timer closes the socket, which ends whatever the caller is
 * waiting for: a handshake, room to write, or the next byte of an answer that drips.
 */
public final class HttpExchange implements AutoCloseable {
    /** Limits of the head of an answer; a longer one is an attack, or no HTTP. */
    private static final Http1Config HEAD_LIMITS = Http1Config.custom()
            .setMaxHeaderCount(101) // it refuses the one that reaches it
            .setMaxLineLength(8192)
            .setMaxEmptyLineCount(10)
            .build();

    /** 1xx answers before the one that counts. */
    private static final int MOST_INTERIM = 10;

    private final SSLSocketFactory tls;
    private final Duration connectTimeout;
    private final int mostBytes;
    private final ScheduledThreadPoolExecutor timer;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    public HttpExchange(SSLSocketFactory tls, Duration connectTimeout, int mostBytes) {
        this.tls = tls;
        this.connectTimeout = connectTimeout;
        this.mostBytes = mostBytes;
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "leat-webhook-deadlines");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
    }

    /**
     * @param addresses of the target's host; only these are connected to
     * @throws UnreachableException when there was no connection to send it over
     */
    public Answer run(OutgoingRequest call, List<InetAddress> addresses, Deadline deadline) throws IOException {
        Socket socket = connect(call.target(), addresses, deadline);
        try {
            return exchangeInTime(call, socket, deadline);
        } finally {
            forget(socket);
        }
    }

    private Answer exchangeInTime(OutgoingRequest call, Socket socket, Deadline deadline) throws IOException {
        ScheduledFuture<?> cut = cutAt(deadline, socket);
        try {
            Socket secured = secured(call.target(), socket, deadline);
            try {
                return exchange(call, secured, deadline);
            } finally {
                closeQuietly(secured); // takes leave of a TLS peer, which may take time
            }
        } finally {
            cut.cancel(false);
        }
    }

    private Socket connect(Target target, List<InetAddress> addresses, Deadline deadline) throws IOException {
        IOException last = new IOException("no time was left");
        for (InetAddress address : addresses) {
            long most = Math.min(connectTimeout.toMillis(), TimeUnit.NANOSECONDS.toMillis(deadline.nanosLeft()));
            if (most <= 0) {
                break;
            }
            Socket socket = new Socket(Proxy.NO_PROXY);
            open.add(socket);
            try {
                socket.setTcpNoDelay(true);
                socket.connect(new InetSocketAddress(address, target.port()), (int) most);
                return socket;
            } catch (IOException e) {
                forget(socket);
                last = e;
            }
        }
        throw new UnreachableException("no connection: " + last.getMessage(), last);
    }

    private ScheduledFuture<?> cutAt(Deadline deadline, Socket socket) throws IOException {
        try {
            return timer.schedule(() -> closeQuietly(socket), deadline.nanosLeft(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            throw new IOException("the sender was closed", e);
        }
    }

    private void forget(Socket socket) {
        closeQuietly(socket);
        open.remove(socket);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed all the same.
        }
    }

    /** The certificate must be for the host in the URL, whichever address it has. */
    private Socket secured(Target target, Socket socket, Deadline deadline) throws IOException {
        if (!target.tls()) {
            return socket;
        }
        try {
            SSLSocket secured = (SSLSocket) tls.createSocket(socket, target.host(), target.port(), true);
            SSLParameters parameters = secured.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secured.setSSLParameters(parameters);
            secured.startHandshake();
            return secured;
        } catch (IOException e) {
            String why = deadline.over() ? "not ended in time" : e.getMessage();
            throw new UnreachableException("no TLS: " + why, e);
        }
    }

    private Answer exchange(OutgoingRequest call, Socket socket, Deadline deadline) throws IOException {
        // The parser that it would make by itself knows nothing of these limits.
        DefaultBHttpClientConnection connection = new DefaultBHttpClientConnection(
                HEAD_LIMITS, null, null, null, null, null, new DefaultHttpResponseParserFactory(HEAD_LIMITS));
        connection.bind(socket);
        ClassicHttpResponse head;
        try {
            send(call, connection);
            head = head(connection);
        } catch (HttpException | IOException | RuntimeException e) { // a status of 0 is an IllegalArgumentException
            throw noAnswer(e, deadline);
        }
        return answer(head, connection);
    }

    private static IOException noAnswer(Exception e, Deadline deadline) {
        if (deadline.over()) {
            return new IOException("no answer in time", e);
        }
        return e instanceof IOException
                ? new IOException("no answer: " + e.getMessage(), e)
                : new IOException("no answer in HTTP", e);
    }

    private static void send(OutgoingRequest call, DefaultBHttpClientConnection connection)
            throws HttpException, IOException {
        BasicClassicHttpRequest request =
                new BasicClassicHttpRequest(call.method(), call.target().pathAndQuery());
        request.addHeader("Host", call.target().authority());
        call.headers().forEach(request::addHeader);
        request.addHeader("Connection", "close");
        if (call.body() instanceof OutgoingRequest.Body.Bytes body) {
            request.addHeader("Content-Length", body.bytes().length);
            request.setEntity(new ByteArrayEntity(body.bytes(), null));
        }
        connection.sendRequestHeader(request);
        connection.sendRequestEntity(request);
        connection.flush();
    }

    private static ClassicHttpResponse head(DefaultBHttpClientConnection connection) throws HttpException, IOException {
        for (int interim = 0; interim <= MOST_INTERIM; interim++) {
            ClassicHttpResponse response = connection.receiveResponseHeader();
            if (response.getCode() >= 200) {
                return response;
            }
        }
        throw new IOException("more than " + MOST_INTERIM + " interim answers (1xx)");
    }

    private Answer answer(ClassicHttpResponse head, DefaultBHttpClientConnection connection) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        boolean whole = readBody(head, connection, body);
        byte[] bytes = body.toByteArray();
        String type =
                header(head, "Content-Type").filter(text -> !text.isBlank()).orElse(Payload.BINARY);
        return new Answer(
                head.getCode(),
                Payload.of(bytes, type),
                !whole,
                header(head, "Retry-After"),
                header(head, "Content-Encoding").filter(encoding -> !encoding.equalsIgnoreCase("identity")));
    }

    /**
     * Whether it was read to its end. The status has told how the delivery went, and the body only adds words: one that is
     * too long, too slow or broken ends early and changes nothing.
     */
    private boolean readBody(
            ClassicHttpResponse head, DefaultBHttpClientConnection connection, ByteArrayOutputStream into) {
        if (head.getCode() == 204 || head.getCode() == 304) {
            return true;
        }
        try {
            connection.receiveResponseEntity(head);
            InputStream content = head.getEntity().getContent();
            byte[] buffer = new byte[8192];
            for (int n = content.read(buffer); n >= 0; n = content.read(buffer)) {
                int room = mostBytes - into.size();
                into.write(buffer, 0, Math.min(n, room));
                if (n > room) {
                    return false;
                }
            }
            return true;
        } catch (HttpException | IOException | RuntimeException e) {
            return false;
        }
    }

    private static Optional<String> header(ClassicHttpResponse head, String name) {
        return Optional.ofNullable(head.getFirstHeader(name)).map(Header::getValue);
    }

    /** Cuts off the exchanges that still run. */
    @Override
    public void close() {
        timer.shutdownNow();
        open.forEach(HttpExchange::closeQuietly);
    }
}
