package dev.leat.sql.chaos;

import static dev.leat.sql.chaos.Entry.Event.ALIVE;
import static dev.leat.sql.chaos.Entry.Event.CLOSING;
import static dev.leat.sql.chaos.Entry.Event.COMMITTED;
import static dev.leat.sql.chaos.Entry.Event.ENDED;
import static dev.leat.sql.chaos.Entry.Event.KILLED;
import static dev.leat.sql.chaos.Entry.Event.ROLLED_BACK;
import static dev.leat.sql.chaos.Entry.Event.SETTLED;
import static dev.leat.sql.chaos.Entry.Event.SETTLING;
import static dev.leat.sql.chaos.Entry.Event.STARTED;
import static dev.leat.sql.chaos.Entry.Event.TAKEN;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The checker sees each way in which a promise can be broken, and nothing else. Times are in milliseconds; where no task is
 * named, it is the only one.
 */
class LedgerCheckerTest {
    private static final Duration DEAD_AFTER = Duration.ofMillis(1_000);
    private static final long TASK = 1;

    private final List<Entry> ledger = new ArrayList<>();

    // What happens

    private void write(Entry.Event event, String process, long since, long at, long task, String token, String about) {
        ledger.add(new Entry(event, process, millis(since), millis(at), task, token, about));
    }

    private static long millis(long time) {
        return Duration.ofMillis(time).toNanos();
    }

    private static String token(String process, long task) {
        return process + "-" + task;
    }

    private void committed() {
        committed(TASK, "");
    }

    private void committed(long task, String key) {
        write(COMMITTED, "producer", 0, 0, task, "", key);
    }

    private void rolledBack(String label) {
        write(ROLLED_BACK, "producer", 0, 0, TASK, "", label);
    }

    private void killed(String process, long at) {
        write(KILLED, "driver", at, at, 0, "", process);
    }

    private void alive(String process, long since) {
        write(ALIVE, process, since, since + 1, 0, "", process + "#1");
    }

    private void begin(String process, long at) {
        begin(process, TASK, at);
    }

    /** A take by the process, in its session, answered a millisecond later; then its run begins. */
    private void begin(String process, long task, long at) {
        write(TAKEN, process, at, at + 1, task, token(process, task), process + "#1");
        write(STARTED, process, at + 2, at + 2, task, token(process, task), "label " + task);
    }

    private void end(String process, long task, long at) {
        write(ENDED, process, at, at, task, token(process, task), "");
    }

    private void settling(String process, long task, long at) {
        write(SETTLING, process, at, at, task, token(process, task), "Ack");
    }

    private void settled(String process, long task, long at, String status) {
        write(SETTLED, process, at - 1, at, task, token(process, task), status);
    }

    private void acknowledge(String process, long at, String status) {
        acknowledge(process, TASK, at, status);
    }

    private void acknowledge(String process, long task, long at, String status) {
        end(process, task, at);
        settling(process, task, at);
        settled(process, task, at + 1, status);
    }

    /** A whole run, from its take to the answer of its ack. */
    private void run(String process, long from, long to, String status) {
        begin(process, from);
        acknowledge(process, to, status);
    }

    /** A run whose ack is sent and never answered. */
    private void runWithoutAnswer(String process, long from, long to) {
        begin(process, from);
        end(process, TASK, to);
        settling(process, TASK, to);
    }

    /** The task is committed, and a process that lives has taken it. */
    private void heldBy(String process) {
        committed();
        alive(process, 0);
        begin(process, 10);
    }

    /** Two processes hold a task each, at the same time. */
    private void twoAtOnce(String keyOfOne, String keyOfOther) {
        committed(1, keyOfOne);
        committed(2, keyOfOther);
        begin("a", 1, 10);
        begin("b", 2, 15);
        acknowledge("a", 1, 20, "DONE");
        acknowledge("b", 2, 30, "DONE");
    }

    // What the checker says

    private void assertFine() {
        assertThat(LedgerChecker.violations(ledger, DEAD_AFTER)).isEmpty();
    }

    private void assertViolation(String words) {
        assertThat(LedgerChecker.violations(ledger, DEAD_AFTER))
                .anySatisfy(violation -> assertThat(violation).contains(words));
    }

    // Nothing is lost, nothing is invented

    @Test
    void aTaskThatRanAndWasAcknowledgedIsFine() {
        committed();
        run("a", 10, 20, "DONE");
        assertFine();
    }

    @Test
    void aCommittedTaskThatNeverRanIsMissing() {
        committed();
        assertViolation("task 1 is missing");
    }

    @Test
    void aTaskWhoseOnlyRunWasNotAcknowledgedIsMissing() {
        committed();
        run("a", 10, 20, "GONE");
        assertViolation("task 1 is missing");
    }

    @Test
    void theLastWordsOfAKilledProcessAreInDoubt() {
        committed();
        runWithoutAnswer("a", 10, 20);
        assertViolation("task 1 is missing");

        killed("a", 21);
        assertFine();
    }

    @Test
    void aTaskThatWasHandedOutAfterTheLastWordsOfItsKilledHolderHasNotEnded() {
        committed();
        runWithoutAnswer("a", 10, 20);
        killed("a", 21);
        begin("b", 2_000);
        assertViolation("task 1 is missing");
    }

    @Test
    void aRolledBackTaskMustNotRun() {
        rolledBack("label 1");
        assertFine();

        begin("a", 10);
        assertViolation("rolled back");
    }

    @Test
    void anotherPutMayGetTheIdOfARolledBackOne() {
        rolledBack("another label");
        committed();
        run("a", 10, 20, "DONE");
        assertFine();
    }

    @Test
    void aTaskThatNobodyPutMustNotRun() {
        run("a", 10, 20, "DONE");
        assertViolation("nobody has put");
    }

    // One lease at a time

    @Test
    void twoAcceptedRunsOfOneTaskAreTooMany() {
        committed();
        run("a", 10, 20, "DONE");
        run("b", 30, 40, "DONE");
        assertViolation("done twice");
        assertViolation("handed out that was done");
    }

    @Test
    void aTaskIsNotTakenFromALivingHolder() {
        heldBy("a");
        alive("a", 500);
        run("b", 1_400, 1_450, "DONE");
        assertViolation("two live leases on one task");
    }

    @Test
    void aTaskIsTakenFromAHolderThatWasSilentForTooLong() {
        heldBy("a");
        run("b", 1_100, 1_150, "DONE");
        acknowledge("a", 5_000, "GONE");
        assertFine();
    }

    @Test
    void aSettleIsNotAcceptedAfterTheLoss() {
        heldBy("a");
        begin("b", 1_100);
        acknowledge("a", 5_000, "DONE");
        acknowledge("b", 5_100, "GONE");
        assertViolation("accepted after the loss");
    }

    @Test
    void aProcessThatStoodStillInItsTakeMayWriteItDownLate() {
        committed();
        alive("a", 0);
        write(TAKEN, "a", 10, 5_000, TASK, token("a", TASK), "a#1");
        run("b", 1_100, 6_000, "DONE");
        assertFine();
    }

    @Test
    void theLastWordsOfAKilledProcessDoNotProveThatItHeldTheLease() {
        heldBy("a");
        begin("b", 1_100);
        settling("a", TASK, 1_120);
        acknowledge("b", 1_150, "DONE");
        killed("a", 1_160);
        assertFine();
    }

    @Test
    void aLivingHolderIsNotRefused() {
        heldBy("a");
        acknowledge("a", 20, "GONE");
        run("b", 5_000, 5_010, "DONE");
        assertViolation("refused though the lease was held");
    }

    @Test
    void aClosedSessionHoldsNothing() {
        heldBy("a");
        write(CLOSING, "a", 20, 20, 0, "", "a#1");
        run("b", 30, 40, "DONE");
        assertFine();
    }

    // Keys

    @Test
    void twoTasksOfAKeyAreNotHeldAtOnce() {
        twoAtOnce("k", "k");
        assertViolation("two live leases on one key k");
    }

    @Test
    void tasksOfDifferentKeysAreHeldAtOnce() {
        twoAtOnce("k", "l");
        assertFine();
    }

    @Test
    void theNextOfAKeyMayBeTakenAsSoonAsTheSettleIsOnItsWay() {
        committed(1, "k");
        committed(2, "k");
        runWithoutAnswer("a", 10, 20);
        begin("b", 2, 21);
        settled("a", 1, 40, "DONE");
        acknowledge("b", 2, 50, "DONE");
        assertFine();
    }

    // Runs

    @Test
    void oneDeliveryRunsOnce() {
        committed();
        begin("a", 10);
        write(STARTED, "a", 15, 15, TASK, token("a", TASK), "");
        acknowledge("a", 20, "DONE");
        assertViolation("ran twice");
    }

    @Test
    void anAckNeedsARunBeforeIt() {
        committed();
        begin("a", 10);
        settling("a", TASK, 20);
        settled("a", TASK, 21, "DONE");
        assertViolation("without having run");
    }

    @Test
    void aLineIsReadAsItWasWritten() {
        Entry entry = new Entry(TAKEN, "a", 1, 2, 3, "token", "session");

        assertThat(Entry.parse(entry.line())).isEqualTo(entry);
    }
}
