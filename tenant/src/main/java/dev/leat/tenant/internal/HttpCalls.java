package dev.leat.tenant.internal;

import dev.leat.tenant.TenantException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/** Sends requests with short answers, each with a timeout. Does not follow redirects. */
public final class HttpCalls {
    static final int LARGEST_ANSWER = 64 * 1024;

    private final HttpClient client;
    private final Duration timeout;

    /** @param body at most {@value #LARGEST_ANSWER} bytes */
    public record Answer(int status, byte[] body) {}

    public HttpCalls(Duration timeout) {
        this.timeout = timeout;
        this.client = HttpClient.newBuilder().connectTimeout(timeout).build();
    }

    public Answer send(HttpRequest request) {
        HttpUrl url = new HttpUrl(request.uri());
        CompletableFuture<HttpResponse<byte[]>> sent =
                client.sendAsync(request, head -> new CappedBody(LARGEST_ANSWER));
        try {
            // The client's own time limit ends with the headers, and a body could go on for ever.
            HttpResponse<byte[]> response = sent.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            if (response.body().length > LARGEST_ANSWER) {
                throw new TenantException(url + " answered " + response.statusCode() + " with more than "
                        + LARGEST_ANSWER + " bytes, which is too long for what it was asked");
            }
            return new Answer(response.statusCode(), response.body());
        } catch (TimeoutException e) {
            sent.cancel(true);
            throw new TenantException(url + " did not answer within " + timeout);
        } catch (InterruptedException e) {
            sent.cancel(true);
            Thread.currentThread().interrupt();
            throw new TenantException("interrupted while " + url + " was asked", e);
        } catch (ExecutionException e) {
            throw new TenantException(url + " could not be asked: " + reason(e.getCause() == null ? e : e.getCause()));
        }
    }

    /** Omits other messages, since they may quote the server. */
    private static String reason(Throwable e) {
        boolean quotesNothing = e instanceof ConnectException || e instanceof SSLException;
        String name = e.getClass().getSimpleName();
        return quotesNothing && e.getMessage() != null ? name + ": " + e.getMessage() : name;
    }
}
