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

/** The checker sees each way in which a promise can be broken, and nothing else. Times are in milliseconds. */
class LedgerCheckerTest {
    private static final Duration DEAD_AFTER = Duration.ofMillis(1_000);

    private final List<Entry> ledger = new ArrayList<>();

    private void write(Entry.Event event, String process, long since, long at, long task, String token, String about) {
        ledger.add(new Entry(event, process, millis(since), millis(at), task, token, about));
    }

    private static long millis(long time) {
        return Duration.ofMillis(time).toNanos();
    }

    private void committed(long task, String key) {
        write(COMMITTED, "producer", 0, 0, task, "", key);
    }

    private void alive(String process, long since) {
        write(ALIVE, process, since, since + 1, 0, "", process + "#1");
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

    private void acknowledge(String process, long task, long at, String status) {
        end(process, task, at);
        settling(process, task, at);
        settled(process, task, at + 1, status);
    }

    private static String token(String process, long task) {
        return process + "-" + task;
    }

    private void assertFine() {
        assertThat(LedgerChecker.violations(ledger, DEAD_AFTER)).isEmpty();
    }

    private void assertViolation(String words) {
        assertThat(LedgerChecker.violations(ledger, DEAD_AFTER))
                .anySatisfy(violation -> assertThat(violation).contains(words));
    }

    @Test
    void aTaskThatRanAndWasAcknowledgedIsFine() {
        committed(1, "");
        begin("a", 1, 10);
        acknowledge("a", 1, 20, "DONE");

        assertFine();
    }

    @Test
    void aCommittedTaskThatNeverRanIsMissing() {
        committed(1, "");

        assertViolation("task 1 is missing");
    }

    @Test
    void aTaskWhoseOnlyRunWasNotAcknowledgedIsMissing() {
        committed(1, "");
        begin("a", 1, 10);
        acknowledge("a", 1, 20, "GONE");

        assertViolation("task 1 is missing");
    }

    @Test
    void theLastWordsOfAKilledProcessAreInDoubt() {
        committed(1, "");
        begin("a", 1, 10);
        end("a", 1, 19);
        settling("a", 1, 20);
        assertViolation("task 1 is missing");

        write(KILLED, "driver", 21, 21, 0, "", "a");
        assertFine();
    }

    @Test
    void aTaskThatWasHandedOutAfterTheLastWordsOfItsKilledHolderHasNotEnded() {
        committed(1, "");
        begin("a", 1, 10);
        end("a", 1, 19);
        settling("a", 1, 20);
        write(KILLED, "driver", 21, 21, 0, "", "a");
        begin("b", 1, 2_000);

        assertViolation("task 1 is missing");
    }

    @Test
    void aRolledBackTaskMustNotRun() {
        write(ROLLED_BACK, "producer", 0, 0, 1, "", "label 1");
        assertFine();

        begin("a", 1, 10);
        assertViolation("rolled back");
    }

    @Test
    void anotherPutMayGetTheIdOfARolledBackOne() {
        write(ROLLED_BACK, "producer", 0, 0, 1, "", "another label");
        committed(1, "");
        begin("a", 1, 10);
        acknowledge("a", 1, 20, "DONE");

        assertFine();
    }

    @Test
    void aTaskThatNobodyPutMustNotRun() {
        begin("a", 1, 10);
        acknowledge("a", 1, 20, "DONE");

        assertViolation("nobody has put");
    }

    @Test
    void twoAcceptedRunsOfOneTaskAreTooMany() {
        committed(1, "");
        begin("a", 1, 10);
        acknowledge("a", 1, 20, "DONE");
        begin("b", 1, 30);
        acknowledge("b", 1, 40, "DONE");

        assertViolation("done twice");
        assertViolation("handed out that was done");
    }

    @Test
    void aTaskIsNotTakenFromALivingHolder() {
        committed(1, "");
        alive("a", 0);
        begin("a", 1, 10);
        alive("a", 500);
        begin("b", 1, 1_400);
        acknowledge("b", 1, 1_450, "DONE");

        assertViolation("two live leases on one task");
    }

    @Test
    void aTaskIsTakenFromAHolderThatWasSilentForTooLong() {
        committed(1, "");
        alive("a", 0);
        begin("a", 1, 10);
        begin("b", 1, 1_100);
        acknowledge("b", 1, 1_150, "DONE");
        acknowledge("a", 1, 5_000, "GONE");

        assertFine();
    }

    @Test
    void aSettleIsNotAcceptedAfterTheLoss() {
        committed(1, "");
        alive("a", 0);
        begin("a", 1, 10);
        begin("b", 1, 1_100);
        acknowledge("a", 1, 5_000, "DONE");
        acknowledge("b", 1, 5_100, "GONE");

        assertViolation("accepted after the loss");
    }

    @Test
    void aProcessThatStoodStillInItsTakeMayWriteItDownLate() {
        committed(1, "");
        alive("a", 0);
        write(TAKEN, "a", 10, 5_000, 1, token("a", 1), "a#1");
        begin("b", 1, 1_100);
        acknowledge("b", 1, 6_000, "DONE");

        assertFine();
    }

    @Test
    void theLastWordsOfAKilledProcessDoNotProveThatItHeldTheLease() {
        committed(1, "");
        alive("a", 0);
        begin("a", 1, 10);
        begin("b", 1, 1_100);
        settling("a", 1, 1_120);
        acknowledge("b", 1, 1_150, "DONE");
        write(KILLED, "driver", 1_160, 1_160, 0, "", "a");

        assertFine();
    }

    @Test
    void twoTasksOfAKeyAreNotHeldAtOnce() {
        committed(1, "k");
        committed(2, "k");
        begin("a", 1, 10);
        begin("b", 2, 15);
        acknowledge("a", 1, 20, "DONE");
        acknowledge("b", 2, 30, "DONE");

        assertViolation("two live leases on one key k");
    }

    @Test
    void tasksOfDifferentKeysAreHeldAtOnce() {
        committed(1, "k");
        committed(2, "l");
        begin("a", 1, 10);
        begin("b", 2, 15);
        acknowledge("a", 1, 20, "DONE");
        acknowledge("b", 2, 30, "DONE");

        assertFine();
    }

    @Test
    void theNextOfAKeyMayBeTakenAsSoonAsTheSettleIsOnItsWay() {
        committed(1, "k");
        committed(2, "k");
        begin("a", 1, 10);
        end("a", 1, 19);
        settling("a", 1, 20);
        begin("b", 2, 21);
        settled("a", 1, 40, "DONE");
        acknowledge("b", 2, 50, "DONE");

        assertFine();
    }

    @Test
    void aLivingHolderIsNotRefused() {
        committed(1, "");
        alive("a", 0);
        begin("a", 1, 10);
        acknowledge("a", 1, 20, "GONE");
        begin("b", 1, 5_000);
        acknowledge("b", 1, 5_010, "DONE");

        assertViolation("refused though the lease was held");
    }

    @Test
    void aClosedSessionHoldsNothing() {
        committed(1, "");
        alive("a", 0);
        begin("a", 1, 10);
        write(CLOSING, "a", 20, 20, 0, "", "a#1");
        begin("b", 1, 30);
        acknowledge("b", 1, 40, "DONE");

        assertFine();
    }

    @Test
    void oneDeliveryRunsOnce() {
        committed(1, "");
        begin("a", 1, 10);
        write(STARTED, "a", 15, 15, 1, token("a", 1), "");
        acknowledge("a", 1, 20, "DONE");

        assertViolation("ran twice");
    }

    @Test
    void anAckNeedsARunBeforeIt() {
        committed(1, "");
        begin("a", 1, 10);
        settling("a", 1, 20);
        settled("a", 1, 21, "DONE");

        assertViolation("without having run");
    }

    @Test
    void aLineIsReadAsItWasWritten() {
        Entry entry = new Entry(TAKEN, "a", 1, 2, 3, "token", "session");

        assertThat(Entry.parse(entry.line())).isEqualTo(entry);
    }
}
