package dev.leat.webhook;

import dev.leat.error.ClosedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.Backoff;
import dev.leat.webhook.internal.AddressGuard;
import dev.leat.webhook.internal.Answer;
import dev.leat.webhook.internal.CheckedNames;
import dev.leat.webhook.internal.Deadline;
import dev.leat.webhook.internal.DeliveryGate;
import dev.leat.webhook.internal.HeldBackException;
import dev.leat.webhook.internal.HttpExchange;
import dev.leat.webhook.internal.Network;
import dev.leat.webhook.internal.OutgoingRequest;
import dev.leat.webhook.internal.RefusedAddressException;
import dev.leat.webhook.internal.RetryAfter;
import dev.leat.webhook.internal.UnreachableException;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Delivers webhooks to addresses that third parties chose.
 *
 * <p>Safe from any thread. A delivery runs on its caller's thread and ends at the endpoint's timeout; an interrupt ends
 * it sooner on a virtual thread only. Nothing is kept between deliveries but what fails, and nothing is tried again.
 */
public final class WebhookSender implements AutoCloseable {
    private static final String USER_AGENT = "Leat-Webhook";
    private static final int GONE = 410;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;

    private final InstantSource clock;
    private final DeliveryGate gate;
    private final CheckedNames names;
    private final HttpExchange http;
    private volatile boolean closed;

    private WebhookSender(Builder b) {
        clock = b.clock;
        gate = new DeliveryGate(b.concurrency, b.failures, b.pause, b.clock);
        names = new CheckedNames(b.resolver, new AddressGuard(b.networks), b.hosts);
        SSLContext tls = b.tls;
        http = new HttpExchange(
                tls == null ? (SSLSocketFactory) SSLSocketFactory.getDefault() : tls.getSocketFactory(),
                b.connectTimeout,
                b.mostResponseBytes);
    }

    public static WebhookSender create() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Sends the message once, and returns when the receiver has answered with 2xx.
     *
     * @throws DeliveryException otherwise; it says whether and when to try again
     */
    public Delivery send(Endpoint endpoint, Message message) {
        if (closed) {
            throw new ClosedException("This webhook sender");
        }
        try (DeliveryGate.Passage passage = gate.enter(endpoint.target())) {
            return deliver(endpoint, message, passage);
        } catch (HeldBackException e) {
            throw DeliveryException.heldBack(endpoint, e, e.until());
        }
    }

    private Delivery deliver(Endpoint endpoint, Message message, DeliveryGate.Passage passage) {
        long start = System.nanoTime();
        Answer answer = exchange(endpoint, message, passage);
        if (answer.success()) {
            passage.worked();
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            return new Delivery(answer.status(), answer.body(), answer.shown(), answer.truncated(), took);
        }
        if (answer.status() == GONE) {
            passage.worked(); // it knows what it says, and everybody else who sends there should hear it, too
        } else {
            passage.failed();
        }
        throw DeliveryException.answered(endpoint, answer.status(), answer.shown(), retryAfter(answer));
    }

    private Answer exchange(Endpoint endpoint, Message message, DeliveryGate.Passage passage) {
        Deadline deadline = Deadline.in(endpoint.timeout());
        try {
            List<InetAddress> addresses = names.resolve(endpoint.target().host(), deadline);
            return http.run(call(endpoint, message), addresses, deadline);
        } catch (RefusedAddressException e) {
            throw DeliveryException.refused(endpoint, e);
        } catch (IOException e) {
            boolean ours = closed || Thread.currentThread().isInterrupted();
            if (!ours && e instanceof UnreachableException) {
                passage.unreachable();
            } else if (!ours) {
                passage.failed();
            }
            throw DeliveryException.noAnswer(endpoint, e);
        }
    }

    private OutgoingRequest call(Endpoint endpoint, Message message) {
        boolean hasBody = endpoint.method().hasBody();
        byte[] body = hasBody ? message.payload().bytes() : new byte[0];
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.put("User-Agent", USER_AGENT);
        if (hasBody) {
            headers.put("Content-Type", message.payload().contentType());
        }
        headers.putAll(endpoint.headers());
        headers.put("Accept-Encoding", "identity");
        // The time of this attempt, not of the event: a message that is sent again after an hour must still be
        // accepted.
        long timestamp = clock.instant().getEpochSecond();
        headers.put(WebhookSignature.ID, message.id());
        headers.put(WebhookSignature.TIMESTAMP, Long.toString(timestamp));
        if (!endpoint.keys().isEmpty()) {
            headers.put(
                    WebhookSignature.SIGNATURE, WebhookSignature.sign(endpoint.keys(), message.id(), timestamp, body));
        }
        return new OutgoingRequest(
                endpoint.target(),
                endpoint.method().name(),
                headers,
                hasBody ? new OutgoingRequest.Body.Bytes(body) : new OutgoingRequest.Body.None());
    }

    private Optional<Duration> retryAfter(Answer answer) {
        boolean asks = answer.status() == TOO_MANY_REQUESTS || answer.status() == UNAVAILABLE;
        return asks ? answer.retryAfter().flatMap(text -> RetryAfter.parse(text, clock.instant())) : Optional.empty();
    }

    /** Cuts off the deliveries that still run, at once. They fail, and may have been received. */
    @Override
    public void close() {
        closed = true;
        names.close();
        http.close();
    }

    /**
     * Describes a sender. Defaults: no address inside our networks may be called; answers are read up to 64 KiB; 4 calls at
     * once to one host and port; 5 seconds to connect; 5 failures in a row begin a pause of 30 seconds, and each further one
     * a pause twice as long up to 5 minutes, give or take a tenth.
     */
    public static final class Builder {
        private final List<Network> networks = new ArrayList<>();
        private final Set<String> hosts = new HashSet<>();
        private int mostResponseBytes = 64 * 1024;
        private int concurrency = 4;
        private int failures = 5;
        private Backoff pause = Backoff.exponential(Duration.ofSeconds(30), Duration.ofMinutes(5));
        private Duration connectTimeout = Duration.ofSeconds(5);
        private InstantSource clock = InstantSource.system();
        private NameResolver resolver = NameResolver.system();
        private @Nullable SSLContext tls;

        private Builder() {}

        /** Allows calls to addresses that are refused by default, such as {@code 10.1.0.0/16}. */
        public Builder allowNetwork(String network) {
            networks.add(Network.parse(network));
            return this;
        }

        /** Allows calls to this name, whatever its addresses are. Trust the DNS of the name before you allow it. */
        public Builder allowHost(String host) {
            hosts.add(host);
            return this;
        }

        /** How much of an answer is read. */
        public Builder mostResponseBytes(int bytes) {
            mostResponseBytes = atLeast("mostResponseBytes", 0, bytes);
            return this;
        }

        /** How many deliveries may run at once to one host and port; further ones are held back. */
        public Builder concurrency(int calls) {
            concurrency = atLeast("concurrency", 1, calls);
            return this;
        }

        /** How many failures in a row begin a pause, and how long the first and the following pauses are. */
        public Builder pause(int failures, Backoff pause) {
            this.failures = atLeast("failures", 1, failures);
            this.pause = pause;
            return this;
        }

        /** How long each address of a host may take to accept a connection; never longer than the endpoint's timeout. */
        public Builder connectTimeout(Duration timeout) {
            if (timeout.toMillis() < 1 || timeout.toMillis() > Integer.MAX_VALUE) {
                throw new InvalidRequestException("connectTimeout", "must be from 1 ms to 24 days, was " + timeout);
            }
            connectTimeout = timeout;
            return this;
        }

        /** The trusted certificate authorities; default: the JVM's. */
        public Builder tls(SSLContext tls) {
            this.tls = tls;
            return this;
        }

        /** For the time in signatures and for pauses. */
        public Builder clock(InstantSource clock) {
            this.clock = clock;
            return this;
        }

        public Builder resolver(NameResolver resolver) {
            this.resolver = resolver;
            return this;
        }

        public WebhookSender build() {
            return new WebhookSender(this);
        }

        private static int atLeast(String field, int least, int value) {
            if (value < least) {
                throw new InvalidRequestException(field, "must be at least " + least + ", was " + value);
            }
            return value;
        }
    }
}
