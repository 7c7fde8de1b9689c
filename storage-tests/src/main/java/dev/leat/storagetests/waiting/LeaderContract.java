package dev.leat.storagetests.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Leadership;
import dev.leat.Leat;
import dev.leat.error.ClosedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.storagetests.Faults;
import dev.leat.storagetests.RealTimeTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * One process of a fleet leads. Covers R43, R44, rule 19. Written once above {@link dev.leat.storage.Lock}, which {@link LockContract} is about: not
 * for every version and every way to a storage, as that is.
 */
public abstract class LeaderContract extends RealTimeTest {
    /** Longer than a loaded machine stands still. */
    private static final Duration LEASE = Duration.ofSeconds(2);

    private final Queue<String> heard = new ConcurrentLinkedQueue<>();
    private final AtomicInteger atWork = new AtomicInteger();

    private Leat another(Faults line) {
        return openPatientlyOn(line.between(storage));
    }

    private Leadership.Builder candidate(Leat of) {
        return of.leader("l").lease(LEASE);
    }

    /** Takes part, and works until its term is over. */
    private Leadership lead(Leat of, String name) {
        return candidate(of)
                .whileLeading(term -> {
                    heard.add(name + " leads");
                    atWork.incrementAndGet();
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        heard.add(name + (term.isOver() ? " ended" : " was disturbed"));
                        atWork.decrementAndGet();
                    }
                })
                .start();
    }

    /** Does not heed the end of its term. */
    private static void awaitStubbornly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // goes on
            }
        }
    }

    private static void awaitLeader(Leadership leadership) {
        await("a leader", leadership::isLeading);
    }

    @Test
    void exactlyOneOfManyLeads() { // R43
        List<Leadership> all = new ArrayList<>(List.of(lead(leat, "first")));
        for (int i = 0; i < 3; i++) {
            all.add(lead(another(new Faults()), "other"));
        }

        await("a leader", () -> all.stream().filter(Leadership::isLeading).count() == 1 && atWork.get() == 1);

        assertThat(heard).hasSize(1);
    }

    @Test
    void differentNamesHaveDifferentLeaders() {
        Leadership one = leat.leader("one").start();
        Leadership two = another(new Faults()).leader("two").start();

        awaitLeader(one);
        awaitLeader(two);

        assertThat(List.of(one.name(), two.name())).containsExactly("one", "two");
    }

    @Test
    void whenALeaderClosesAnotherTakesOver() { // R43
        Leadership first = lead(leat, "first");
        awaitLeader(first);
        Leadership second = lead(another(new Faults()), "second");

        first.close();

        assertThat(first.isLeading()).isFalse();
        awaitLeader(second);
        await("the work", () -> heard.contains("second leads"));
        assertThat(heard).containsExactly("first leads", "first ended", "second leads");
        first.close(); // twice does no harm
    }

    @Test
    void aLeaderThatClosesLeavesItsLockFree() {
        Leadership leadership = lead(leat, "first");
        awaitLeader(leadership);
        assertThat(storage.lock().tryAcquire("leader l", LEASE)).isEmpty();

        leadership.close();

        assertThat(storage.lock().tryAcquire("leader l", LEASE)).isPresent();
    }

    @Test
    void aLeatThatClosesLeadsNoMore() {
        Leat other = another(new Faults());
        Leadership first = lead(other, "first");
        awaitLeader(first);
        Leadership second = lead(leat, "second");

        other.close();

        awaitLeader(second);
        assertThat(first.isLeading()).isFalse();
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> other.leader("l"));
    }

    @Test
    void aLeaderThatStepsDownLetsOthersComeFirst() { // R43
        Leadership first = lead(leat, "first");
        awaitLeader(first);
        Leadership second = lead(another(new Faults()), "second");

        first.stepDown();

        awaitLeader(second);
        await("the work", () -> heard.contains("second leads"));
        assertThat(heard).containsExactly("first leads", "first ended", "second leads");
    }

    @Test
    void whoIsAloneLeadsAgainAfterSteppingDown() {
        Leadership alone = lead(leat, "alone");
        awaitLeader(alone);

        alone.stepDown();

        assertThat(alone.isLeading()).isFalse();
        await("another term", () -> heard.size() == 3);
        assertThat(heard).containsExactly("alone leads", "alone ended", "alone leads");
    }

    @Test
    void aLeaderThatIsCutOffStopsAndAnotherTakesOver() { // R43
        Faults line = new Faults();
        Leadership cutOff = lead(another(line), "cut off");
        awaitLeader(cutOff);
        Leadership next = lead(leat, "next");

        line.set(Faults.Line.DOWN);

        await("the end of its term", () -> heard.contains("cut off ended"));
        assertThat(cutOff.isLeading()).isFalse();
        awaitLeader(next);
        line.set(Faults.Line.WORKS);
        await("the work", () -> heard.contains("next leads"));
        assertThat(heard).containsExactly("cut off leads", "cut off ended", "next leads");
        assertThat(cutOff.isLeading()).isFalse();
    }

    @Test
    void aLeaderThatWaitsForTheStorageStopsInTime() { // R43
        Faults line = new Faults();
        Leadership waiting = lead(another(line), "waiting");
        awaitLeader(waiting);
        Faults.Hold hold = line.hold("renew");
        await("a renewal", hold::isReached);

        await("the end of its term", () -> heard.contains("waiting ended"));

        assertThat(waiting.isLeading()).isFalse();
        hold.release();
    }

    @Test
    void noNewTermBeginsBeforeTheWorkOfTheLastHasEnded() { // R44
        CountDownLatch stubborn = new CountDownLatch(1);
        Leadership leadership = candidate(leat)
                .whileLeading(term -> {
                    heard.add("begin");
                    awaitStubbornly(stubborn);
                    heard.add("end");
                })
                .start();
        awaitLeader(leadership);
        await("the work", () -> heard.size() == 1);
        Leadership other = lead(another(new Faults()), "other");
        long steppedDown = System.nanoTime();
        leadership.stepDown();
        awaitLeader(other);
        assertThat(Duration.ofNanos(System.nanoTime() - steppedDown))
                .as("the lock is not free before its lease has run out")
                .isGreaterThan(LEASE.dividedBy(2));
        await("the work", () -> heard.contains("other leads"));
        other.close();

        assertThat(leadership.isLeading()).isFalse();
        stubborn.countDown();

        await("another term", () -> heard.stream().filter("begin"::equals).count() == 2);
        assertThat(heard).startsWith("begin", "other leads", "other ended", "end", "begin");
    }

    @Test
    void workIsRepeatedWhileLeadingAndOnlyThen() { // R44
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger ranElsewhere = new AtomicInteger();
        Leadership leading = candidate(leat)
                .every(Duration.ofMillis(5), term -> {
                    ran.incrementAndGet();
                    throw new IllegalStateException("goes on all the same");
                })
                .start();
        awaitLeader(leading);
        candidate(another(new Faults()))
                .every(Duration.ofMillis(5), term -> ranElsewhere.incrementAndGet())
                .start();

        await("some runs", () -> ran.get() >= 5);
        assertThat(ranElsewhere).hasValue(0);
        leading.close();
        int last = ran.get();
        await("a new leader's runs", () -> ranElsewhere.get() >= 5);

        assertThat(ran).hasValue(last);
    }

    @Test
    void aLeaderWhoseWorkFailsStepsDown() { // R44
        Leadership failing = candidate(leat)
                .whileLeading(term -> {
                    await("somebody else", () -> heard.contains("ready"));
                    throw new IllegalStateException("no disk here");
                })
                .start();
        awaitLeader(failing);
        Leadership other = lead(another(new Faults()), "other");

        heard.add("ready");

        awaitLeader(other);
        assertThat(failing.isLeading()).isFalse();
    }

    @Test
    void aLeaderWhoseWorkIsDoneLeadsOn() {
        CountDownLatch done = new CountDownLatch(1);
        Leadership leadership =
                candidate(leat).whileLeading(term -> done.countDown()).start();
        awaitLeader(leadership);
        Leadership other = lead(another(new Faults()), "other");

        await("the work", () -> done.getCount() == 0);

        assertThat(leadership.isLeading()).isTrue();
        assertThat(other.isLeading()).isFalse();
    }

    @Test
    void invalidSettingsAreRefused() {
        for (Runnable deed : List.<Runnable>of(
                () -> leat.leader(" "), () -> leat.leader("l").lease(Duration.ofMillis(10)), () -> leat.leader("l")
                        .every(Duration.ZERO, term -> {}))) {
            assertThatExceptionOfType(InvalidRequestException.class).isThrownBy(deed::run);
        }
    }
}
