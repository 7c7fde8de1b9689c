package dev.leat.sql.internal.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.storage.Notice;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class NotifierTest {
    private static final PeerMessage READY = new PeerMessage.OfNotice(new Notice.Ready("q"));

    private final List<PeerMessage> sent = new CopyOnWriteArrayList<>();

    private static PeerMessage fresh(int priority, long firstId) {
        return new PeerMessage.FreshRows("q", priority, firstId);
    }

    @Test
    void messagesThatWaitAreMergedAndSentTogether() {
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch isSending = new CountDownLatch(1);
        List<List<PeerMessage>> batches = new CopyOnWriteArrayList<>();
        Notifier notifier = new Notifier(List.of(messages -> {
            batches.add(messages);
            isSending.countDown();
            awaitUninterrupted(gate);
        }));
        notifier.send(READY);
        awaitUninterrupted(isSending);
        List.of(fresh(1, 12), fresh(1, 11), fresh(2, 13), READY, READY).forEach(notifier::send);

        gate.countDown();
        notifier.close();

        assertThat(batches).containsExactly(List.of(READY), List.of(fresh(1, 11), fresh(2, 13), READY));
    }

    private static void awaitUninterrupted(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void everyTransportSendsEveryMessageEvenIfAnotherFails() {
        Notifier.Transport failing = messages -> {
            throw new IllegalStateException("no connection");
        };
        Notifier notifier = new Notifier(List.of(failing, sent::addAll));
        notifier.send(READY);
        notifier.close();

        assertThat(sent).containsExactly(READY);
    }
}
