package dev.leat.storagetests.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Attempt;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.error.QueueNotFoundException;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Redriven;
import dev.leat.storagetests.ContractTest;
import dev.leat.storagetests.Faults;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What was put aside: found by what it says, counted, and run again. */
public abstract class DeadLetterContract extends ContractTest {
    /** They run again in steps of five hundred. */
    private static final int MORE_THAN_A_BLOCK = 501;

    private Faults faults;
    private Leat leat;

    @BeforeEach
    void openLeat() {
        faults = new Faults();
        leat = Leat.builder("").storage(faults.between(storage)).open();
    }

    @AfterEach
    void closeLeat() {
        leat.close();
    }

    private long buried(NewTask.Builder task, String message) {
        long id = put(task).id();
        settle(Settle.bury(
                storage.take(TakeRequest.from(task.build().queue())).get(0).lease(), message));
        return id;
    }

    private long buried(String message) {
        return buried(task(), message);
    }

    private List<Long> found(String part) {
        return storage.list(TaskQuery.of(Q).state(TaskState.BURIED).message(part)).stream()
                .map(Task::id)
                .toList();
    }

    // By their messages

    @Test
    void aMessageIsFoundByAPartOfIt() {
        long timeout = buried("Read timed out after 20 s");
        long refused = buried("Connection refused");
        put("no message at all");

        assertThat(found("timed out")).containsExactly(timeout);
        assertThat(found("Read")).containsExactly(timeout);
        assertThat(found("20 s")).containsExactly(timeout);
        assertThat(found("Connection refused")).containsExactly(refused);
        assertThat(found("Connection refused, too")).isEmpty();
        assertThat(found("e")).containsExactly(timeout, refused);
    }

    @Test
    void theSearchTextIsMatchedLiterally() {
        String odd = "100% of a_b's \"C:\\temp\\n\" * ? [x] ü 🦊 ";
        long id = buried(odd);
        buried("100 of aXbs C:temp");

        for (String part :
                List.of("%", "0% o", "_", "a_b", "'", "b's", "\\", "\\n", "\"C:\\", "*", "?", "[x]", "ü", "🦊", odd)) {
            assertThat(found(part)).as(part).containsExactly(id);
        }
        for (String other : List.of("%%", "a%b", "A_B", "c:", "Ü", "u", "\n", "''", "\\\\")) {
            assertThat(found(other)).as(other).isEmpty();
        }
    }

    @Test
    void aBlankAtTheEndCountsToo() {
        long with = buried("x ");
        buried("x");

        assertThat(found(" ")).containsExactly(with);
        assertThat(found("x ")).containsExactly(with);
    }

    @Test
    void anEmptyPartIsInAll() {
        long id = buried("something");

        assertThat(found("")).containsExactly(id);
    }

    @Test
    void finishedTasksAreFoundByTheirMessagesToo() {
        long id = put("order 1");
        settle(new Settle.Ack(take().lease(), "sent to Berlin", Optional.empty()));

        assertThat(storage.list(
                        TaskQuery.of(Q).states(EnumSet.allOf(TaskState.class)).message("Berlin")))
                .extracting(Task::id)
                .containsExactly(id);
    }

    // Run again

    @Test
    void thoseThatFitAreCountedAndRunAgain() {
        storage.queues().create("other", QueueOptions.standard());
        long a = buried(task().tenant("acme").type("mail").key("k"), "timed out");
        long b = buried(task().tenant("acme"), "refused");
        long c = buried(task().tenant("other"), "timed out");
        long elsewhere = buried(NewTask.to("other"), "timed out");
        long ready = put("not buried");

        assertThat(leat.deadLetters().count(TaskQuery.live())).isEqualTo(4);
        assertThat(leat.deadLetters().count(TaskQuery.of(Q))).isEqualTo(3);
        assertThat(leat.deadLetters().count(TaskQuery.of(Q).message("timed"))).isEqualTo(2);
        assertThat(leat.deadLetters().count(TaskQuery.of(Q).type("mail").key("k")))
                .isEqualTo(1);
        assertThat(leat.deadLetters().list(TaskQuery.of(Q).tenant("acme")))
                .extracting(Task::id)
                .containsExactly(a, b);

        assertThat(leat.deadLetters().redrive(TaskQuery.of(Q).message("timed").tenant("acme")))
                .isEqualTo(1);

        assertThat(List.of(state(a), state(b), state(c), state(elsewhere), state(ready)))
                .containsExactly(
                        TaskState.READY, TaskState.BURIED, TaskState.BURIED, TaskState.BURIED, TaskState.READY);
        assertThat(leat.deadLetters().redrive(TaskQuery.live())).isEqualTo(3);
        assertThat(leat.deadLetters().count(TaskQuery.live())).isZero();
    }

    @Test
    void theLimitOfAQueryIsThatOfAPage() {
        int many = Math.max(MORE_THAN_A_BLOCK, fixture.enough(1_200));
        storage.put(IntStream.range(0, many).mapToObj(i -> task().build()).toList());
        storage.settle(storage.take(TakeRequest.from(Q).count(many)).stream()
                .<Settle>map(taken -> Settle.bury(taken.lease(), "no"))
                .toList());

        assertThat(leat.deadLetters().list(TaskQuery.of(Q).limit(2))).hasSize(2);
        assertThat(leat.deadLetters().count(TaskQuery.of(Q).limit(2))).isEqualTo(many);
        assertThat(leat.deadLetters().redrive(TaskQuery.of(Q).limit(2))).isEqualTo(many);
        assertThat(storage.queues().stats(Q).count(TaskState.READY)).isEqualTo(many);
    }

    @Test
    void manyAreCountedAndRunAgainByFewCalls() {
        for (int i = 0; i < 20; i++) {
            buried("no");
        }

        leat.deadLetters().count(TaskQuery.of(Q));
        leat.deadLetters().redrive(TaskQuery.of(Q));

        assertThat(faults.calls("countBuried")).isEqualTo(1);
        assertThat(faults.calls("redrive")).isEqualTo(1);
        assertThat(faults.calls("list") + faults.calls("peek") + faults.calls("kick"))
                .isZero();
    }

    @Test
    void theCountOfDeadLettersStopsAtItsLimit() {
        storage.queues().create("other", QueueOptions.standard());
        buried("a");
        buried("b");
        buried(NewTask.to("other"), "c");

        assertThat(storage.countBuried(TaskQuery.live(), 2)).isEqualTo(2);
        assertThat(storage.countBuried(TaskQuery.live(), 3)).isEqualTo(3);
        assertThat(storage.countBuried(TaskQuery.live(), 9)).isEqualTo(3);
    }

    @Test
    void aBlockOfDeadLettersIsRedrivenInTheOrderOfIds() {
        storage.queues().create("other", QueueOptions.standard());
        long first = buried(task().priority(9), "no");
        long second = buried(NewTask.to("other").priority(-9), "no");
        long third = buried(task().priority(1), "no");

        Redriven two = storage.redrive(TaskQuery.live().limit(2));

        assertThat(two.kicked())
                .containsExactly(
                        new TaskEvent(TaskEvent.Kind.KICK, Q, first, TaskState.READY),
                        new TaskEvent(TaskEvent.Kind.KICK, "other", second, TaskState.READY));
        assertThat(two.next()).hasValue(second);
        assertThat(state(third)).isEqualTo(TaskState.BURIED);
        Redriven rest = storage.redrive(TaskQuery.live().limit(2).after(second));
        assertThat(rest.kicked()).extracting(TaskEvent::taskId).containsExactly(third);
        assertThat(rest.next()).isEmpty();
    }

    @Test
    void aListenerHearsOfEachRedrivenTask() {
        long id = buried("no");
        List<TaskEvent> heard = new CopyOnWriteArrayList<>();
        leat.onTaskChange(heard::add);

        leat.deadLetters().redrive(TaskQuery.of(Q));

        assertThat(heard).contains(new TaskEvent(TaskEvent.Kind.KICK, Q, id, TaskState.READY));
    }

    @Test
    void anUnknownQueueIsAnError() {
        assertThatExceptionOfType(QueueNotFoundException.class)
                .isThrownBy(() -> leat.deadLetters().count(TaskQuery.of("nowhere")));
        assertThatExceptionOfType(QueueNotFoundException.class)
                .isThrownBy(() -> leat.deadLetters().redrive(TaskQuery.of("nowhere")));
    }

    @Test
    void theMessagesOfEarlierAttemptsAreKept() {
        long id = buried("timed out");
        leat.deadLetters().redrive(TaskQuery.of(Q));

        settle(Settle.fail(take().lease(), "refused"));

        assertThat(leat.attempts(id)).extracting(Attempt::message).containsExactly("timed out", "refused");
        assertThat(leat.attempts(id))
                .extracting(Attempt::outcome)
                .containsExactly(Attempt.Outcome.BURIED, Attempt.Outcome.FAILED);
    }

    @Test
    void aDeadLetterWhoseAddressIsTakenStaysBuried() {
        long first = buried(task().address("home"), "no");
        put(task().address("home"));
        long second = buried(task().priority(-1), "no");

        assertThat(leat.deadLetters().redrive(TaskQuery.of(Q))).isEqualTo(1);

        assertThat(state(first)).isEqualTo(TaskState.BURIED);
        assertThat(state(second)).isEqualTo(TaskState.READY);
    }

    @Test
    void ofTwoDeadLettersWithTheSameAddressTheOlderRunsAgain() {
        long older = buried(task().address("home"), "no");
        long newer = buried(task().address("home"), "no");

        assertThat(leat.deadLetters().redrive(TaskQuery.of(Q))).isEqualTo(1);

        assertThat(state(older)).isEqualTo(TaskState.READY);
        assertThat(state(newer)).isEqualTo(TaskState.BURIED);
    }
}
