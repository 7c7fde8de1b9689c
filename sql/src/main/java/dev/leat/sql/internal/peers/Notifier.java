package dev.leat.sql.internal.peers;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends messages after their commits, from one daemon thread. Messages that arrive within a millisecond go out together,
 * because commits with a NOTIFY happen one after the other (rule 32). The first message starts the thread; {@link #close}
 * ends it when all messages are sent. Safe from any thread.
 */
final class Notifier implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Notifier.class);
    private static final long GATHER_MILLIS = 1;

    /** A way to the peers. */
    interface Transport {
        void send(List<PeerMessage> messages);
    }

    private final List<Transport> transports;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Object, PeerMessage> unsent = new LinkedHashMap<>();
    private @Nullable Thread thread;
    private boolean closed;

    /** @param transports each of them sends every message */
    Notifier(List<Transport> transports) {
        this.transports = List.copyOf(transports);
    }

    void send(PeerMessage message) {
        if (transports.isEmpty()) {
            return;
        }
        lock.lock();
        try {
            unsent.merge(message.subject(), message, PeerMessage::mergedWith);
            changed.signalAll();
            if (thread == null && !closed) {
                thread = PeerThread.start("leat-notifier", this::sendAll);
            }
        } finally {
            lock.unlock();
        }
    }

    private void sendAll() {
        try {
            for (List<PeerMessage> messages = nextMessages(); !messages.isEmpty(); messages = nextMessages()) {
                for (Transport transport : transports) {
                    send(transport, messages);
                }
                TimeUnit.MILLISECONDS.sleep(GATHER_MILLIS);
            }
        } catch (InterruptedException e) {
            log.debug("Interrupted, so this process notifies its peers no more");
        }
    }

    private static void send(Transport transport, List<PeerMessage> messages) {
        try {
            transport.send(messages);
        } catch (RuntimeException e) {
            log.debug("Could not notify other processes, which find the changes by polling: {}", e.toString());
        }
    }

    /** Waits for messages; empty when the notifier is closed and has sent all. */
    private List<PeerMessage> nextMessages() throws InterruptedException {
        lock.lock();
        try {
            while (unsent.isEmpty() && !closed) {
                changed.await();
            }
            List<PeerMessage> messages = List.copyOf(unsent.values());
            unsent.clear();
            return messages;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        Thread running;
        lock.lock();
        try {
            closed = true;
            running = thread;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        PeerThread.end(running);
    }
}
