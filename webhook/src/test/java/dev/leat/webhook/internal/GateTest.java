package dev.leat.webhook.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.queue.Backoff;
import dev.leat.testkit.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class GateTest {
    private static final Backoff PAUSE = Backoff.exponential(Duration.ofSeconds(30), Duration.ofMinutes(5), 0);
    private static final Target A = Target.parse("https://h.test/a");
    private static final Target B = Target.parse("https://h.test/b");

    private final ManualClock clock = new ManualClock();
    private final DeliveryGate gate = new DeliveryGate(2, 3, PAUSE, clock);

    private void fail(Target target, int times) throws HeldBackException {
        for (int i = 0; i < times; i++) {
            try (DeliveryGate.Passage passage = gate.enter(target)) {
                passage.failed();
            }
        }
    }

    private void unreachable(Target target, int times) throws HeldBackException {
        for (int i = 0; i < times; i++) {
            try (DeliveryGate.Passage passage = gate.enter(target)) {
                passage.unreachable();
            }
        }
    }

    private Duration heldBack(Target target) {
        HeldBackException[] held = new HeldBackException[1];
        assertThatExceptionOfType(HeldBackException.class)
                .isThrownBy(() -> gate.enter(target))
                .satisfies(e -> held[0] = e);
        return held[0].until();
    }

    @Test
    void pausesGrowUpToTheirLimit() throws HeldBackException {
        fail(A, 3);
        for (int seconds : new int[] {30, 60, 120, 240, 300, 300}) {
            assertThat(heldBack(A)).hasSeconds(seconds);
            clock.advance(Duration.ofSeconds(seconds).minusMillis(1));
            assertThat(heldBack(A)).hasMillis(1);
            clock.advance(Duration.ofMillis(1));
            fail(A, 1);
        }
    }

    @Test
    void oneLooksWhetherItWorksAgain() throws HeldBackException {
        fail(A, 3);
        clock.advance(Duration.ofSeconds(30));

        try (DeliveryGate.Passage probe = gate.enter(A)) {
            assertThat(heldBack(A)).hasSeconds(5);
            probe.worked();
        }

        fail(A, 2);
        gate.enter(A).close();
    }

    @Test
    void aLookThatIsGivenUpLetsAnotherLook() throws HeldBackException {
        fail(A, 3);
        clock.advance(Duration.ofSeconds(30));

        gate.enter(A).close();

        fail(A, 1);
        assertThat(heldBack(A)).hasSeconds(60);
    }

    @Test
    void aFailureFromBeforeThePauseDoesNotMakeItLonger() throws HeldBackException {
        try (DeliveryGate.Passage late = gate.enter(A)) {
            fail(A, 3);
            clock.advance(Duration.ofSeconds(10));
            late.failed();
        }

        assertThat(heldBack(A)).hasSeconds(20);
    }

    @Test
    void onlyFailuresInARowCount() throws HeldBackException {
        for (int i = 0; i < 10; i++) {
            fail(A, 2);
            try (DeliveryGate.Passage passage = gate.enter(A)) {
                passage.worked();
            }
        }
        assertThat(gate.names()).isZero();
    }

    @Test
    void aUrlThatFailsDoesNotPauseOthersOnItsServer() throws HeldBackException {
        fail(A, 3);

        heldBack(A);
        gate.enter(B).close();
    }

    @Test
    void aServerThatCannotBeReachedIsPausedAsAWhole() throws HeldBackException {
        unreachable(A, 2);
        unreachable(B, 1);

        heldBack(A);
        heldBack(B);
        gate.enter(Target.parse("https://h.test:444/a")).close();
        gate.enter(Target.parse("http://h.test/a")).close();
    }

    @Test
    void whatRunsAtOnceIsLimitedByServer() throws HeldBackException {
        try (DeliveryGate.Passage one = gate.enter(A);
                DeliveryGate.Passage two = gate.enter(B)) {
            assertThat(heldBack(A)).hasSeconds(1);
            gate.enter(Target.parse("https://other.test/")).close();
        }
        gate.enter(A).close();
        assertThat(gate.names()).isZero();
    }

    @Test
    void aFullServerDoesNotUseUpTheLook() throws HeldBackException {
        try (DeliveryGate.Passage one = gate.enter(B);
                DeliveryGate.Passage two = gate.enter(B)) {
            fail(Target.parse("https://x.test/"), 1);
            clock.advance(Duration.ofSeconds(30));
            assertThat(heldBack(A)).hasSeconds(1);
        }
        gate.enter(A).close();
    }

    @Test
    void whatIsRememberedIsBounded() throws HeldBackException {
        for (int i = 0; i < Circuits.MOST_NAMES + 500; i++) {
            fail(Target.parse("https://h.test/" + i), 1);
        }

        assertThat(gate.names()).isEqualTo(Circuits.MOST_NAMES);
    }
}
