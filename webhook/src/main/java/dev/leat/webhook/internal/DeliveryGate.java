package dev.leat.webhook.internal;

import dev.leat.queue.Backoff;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a delivery pass, or returns at once when to try again. No thread waits here: a thread that waited for a slow
 * receiver could not serve the other receivers.
 *
 * <p>A server that cannot be reached is paused as a whole. A URL that answers badly, or not at all, is paused alone: many
 * unrelated users may have URLs on one server, and none of them may stop the deliveries of the others.
 */
public final class DeliveryGate {
    private static final Logger log = LoggerFactory.getLogger(DeliveryGate.class);
    /** A slot is free again after a typical exchange. */
    private static final Duration WHILE_BUSY = Duration.ofSeconds(1);

    private final Slots slots;
    private final int concurrency;
    private final Circuits circuits;

    public DeliveryGate(int concurrency, int threshold, Backoff pause, InstantSource clock) {
        this.concurrency = concurrency;
        this.slots = new Slots(concurrency);
        this.circuits = new Circuits(threshold, pause, clock);
    }

    public Passage enter(Target target) throws HeldBackException {
        Circuits.Pass server = circuits.enter(target.origin());
        Circuits.Pass url;
        try {
            url = circuits.enter(target.url());
        } catch (HeldBackException e) {
            circuits.givenUp(server);
            throw e;
        }
        if (!slots.take(target.origin())) {
            circuits.givenUp(server);
            circuits.givenUp(url);
            throw new HeldBackException(concurrency + " calls to its server are under way", WHILE_BUSY);
        }
        return new Passage(target, server, url);
    }

    /** One running delivery. Closed without a result, it does not count for or against the receiver. */
    public final class Passage implements AutoCloseable {
        private final Target target;
        private final Circuits.Pass server;
        private final Circuits.Pass url;
        private final AtomicBoolean told = new AtomicBoolean();

        private Passage(Target target, Circuits.Pass server, Circuits.Pass url) {
            this.target = target;
            this.server = server;
            this.url = url;
        }

        public void worked() {
            told.set(true);
            succeeded(server, target.origin());
            succeeded(url, target.shown());
        }

        /** The server answered or accepted the connection, but without success. */
        public void failed() {
            told.set(true);
            succeeded(server, target.origin());
            failed(url, target.shown());
        }

        public void unreachable() {
            told.set(true);
            failed(server, target.origin());
            circuits.givenUp(url);
        }

        private void succeeded(Circuits.Pass pass, String shown) {
            if (circuits.succeeded(pass)) {
                log.info("Webhooks to {} work again.", shown);
            }
        }

        private void failed(Circuits.Pass pass, String shown) {
            circuits.failed(pass)
                    .ifPresent(pause ->
                            log.warn("Webhooks to {} fail; nothing is sent for {} s.", shown, pause.toSeconds()));
        }

        @Override
        public void close() {
            if (!told.get()) {
                circuits.givenUp(server);
                circuits.givenUp(url);
            }
            slots.giveBack(target.origin());
        }
    }

    /** How many servers and URLs something is remembered of. */
    int names() {
        return slots.names() + circuits.names();
    }
}
