package dev.leat.storagetests.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Equivalence;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.QueueFullException;
import dev.leat.error.QueueNotFoundException;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.storagetests.ContractTest;
import dev.leat.topic.Subscription;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Puts of tasks unless there is one that does the same. Covers N13, N.3-8. */
public abstract class EquivalenceContract extends ContractTest {

    private static NewTask.Builder mail() {
        return task("hello")
                .type("mail")
                .origin("shop")
                .destination("post")
                .externalKey("order 7")
                .tenant("t")
                .businessGroup("b");
    }

    private PutResult putUnless(NewTask.Builder task) {
        return put(task.unlessEquivalent());
    }

    private int count() {
        return storage.list(TaskQuery.live()).size();
    }

    @Test
    void withoutAnEquivalentTheTaskIsMade() {
        PutResult result = putUnless(mail());

        assertThat(result.created()).isTrue();
        assertThat(state(result.id())).isEqualTo(TaskState.READY);
        assertThat(take().id()).isEqualTo(result.id());
    }

    @Test
    void anEquivalentTaskIsTheAnswerAndNothingIsMade() {
        long id = put(mail()).id();

        assertThat(putUnless(mail().priority(9).delay(minutes(1)).key("k")))
                .isEqualTo(new PutResult(id, false, TaskState.READY));
        assertThat(count()).isOne();
    }

    @Test
    void theOldestOfSeveralIsTheAnswer() {
        long first = put(mail().priority(5)).id();
        put(mail().priority(1));

        assertThat(putUnless(mail()).id()).isEqualTo(first);
    }

    @Test
    void aTaskThatDiffersInOneFieldIsNotInTheWay() {
        storage.queues().create("other", QueueOptions.standard());
        putUnless(mail());
        Map<String, NewTask.Builder> different = Map.of(
                "payload", mail().payload("bye"),
                "type", mail().type("fax"),
                "origin", mail().origin("other"),
                "destination", mail().destination("other"),
                "external key", mail().externalKey("order 8"),
                "tenant", mail().tenant("other"),
                "business group", mail().businessGroup("other"),
                "queue", NewTask.to("other").payload("hello").externalKey("order 7"),
                "all that may be missing", task("hello").externalKey("order 7"));

        different.forEach(
                (field, task) -> assertThat(putUnless(task).created()).as(field).isTrue());
    }

    @Test
    void aPlainPutIsMadeInAnyCase() {
        putUnless(mail());

        assertThat(put(mail()).created()).isTrue();
    }

    @Test
    void runningBuriedAndDeletedTasksAreNoEquivalents() { // N.3-8
        long running = putUnless(mail()).id();
        take();
        long aside = putUnless(mail()).id();
        storage.bury(aside, "aside");
        long deleted = putUnless(mail()).id();
        storage.delete(deleted);

        PutResult last = putUnless(mail());

        assertThat(last.created()).isTrue();
        assertThat(last.id()).isNotIn(running, aside, deleted);
    }

    @Test
    void aTaskThatIsDoneIsInTheWayForAsLongAsItIsKept() {
        long id = putUnless(mail()).id();
        ack(take().lease());

        assertThat(putUnless(mail())).isEqualTo(new PutResult(id, false, TaskState.DONE));

        advance(Retention.standard().done());
        assertThat(putUnless(mail()).created()).isTrue();
    }

    @Test
    void onlyTasksInTheNamedStatesAreEquivalents() {
        long id = put(mail()).id();
        take();

        PutResult second = put(mail().unlessEquivalent(EnumSet.of(TaskState.TAKEN)));
        PutResult third = put(mail().unlessEquivalent(EnumSet.of(TaskState.BURIED)));

        assertThat(second).isEqualTo(new PutResult(id, false, TaskState.TAKEN));
        assertThat(third.created()).isTrue();
    }

    @Test
    void copiesOfAPublicationAreOtherTasks() { // N13, N39: there they have another payload
        for (String id : List.of("a", "b")) {
            storage.subscriptions().put(Subscription.to(Q, id));
        }
        long publication = putUnless(mail().publication()).id();
        ack(take().lease());
        NewTask like = mail().build();

        assertThat(storage.findEquivalent(Equivalence.to(like)))
                .extracting(Task::id)
                .containsExactly(publication);
        assertThat(storage.findEquivalent(new Equivalence(like, TaskState.live())))
                .isEmpty();
        assertThat(putUnless(mail().publication())).isEqualTo(new PutResult(publication, false, TaskState.DONE));
        assertThat(put(mail().unlessEquivalent(EnumSet.of(TaskState.READY))).created())
                .isTrue();
    }

    @Test
    void aCopyIsEquivalentToThoseForTheSameSubscription() {
        for (String id : List.of("a", "b")) {
            storage.subscriptions().put(Subscription.to(Q, id));
        }
        put(mail().publication());
        ack(take().lease());
        Task copy = storage.list(TaskQuery.of(Q).subscriber("a")).get(0);

        assertThat(storage.findEquivalent(Equivalence.to(copy.given())))
                .extracting(Task::id)
                .containsExactly(copy.id());
    }

    @Test
    void equivalentTasksOfOnePutAreOne() {
        NewTask task = mail().unlessEquivalent().build();
        NewTask other = mail().externalKey("order 8").unlessEquivalent().build();

        List<PutResult> results =
                storage.put(List.of(task, other, task, task("plain").build(), other));

        assertThat(results).extracting(PutResult::created).containsExactly(true, true, false, true, false);
        assertThat(results.get(2).id()).isEqualTo(results.get(0).id());
        assertThat(results.get(4).id()).isEqualTo(results.get(1).id());
        assertThat(count()).isEqualTo(3);
    }

    @Test
    void anEquivalentTaskNeedsNoSpace() {
        storage.queues().declare(Q, QueueOptions.builder().capacity(1).build(), QueueInfo.SetBy.CODE);
        NewTask task = mail().unlessEquivalent().build();
        long id = storage.put(List.of(task, task)).get(0).id();

        assertThat(putUnless(mail()).id()).isEqualTo(id);
        assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> putUnless(mail().externalKey("order 8")));
    }

    @Test
    void aRepeatedPutIsKnownByItsIdempotencyKey() {
        PutResult first = putUnless(mail().idempotencyKey("i"));
        storage.delete(first.id());

        assertThat(putUnless(mail().idempotencyKey("i")))
                .isEqualTo(new PutResult(first.id(), false, TaskState.CANCELED));
        assertThat(putUnless(mail().idempotencyKey("j")).created()).isTrue();
    }

    @Test
    void aTaskThatCannotBeComparedIsRefused() { // N14
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> putUnless(task("hello")))
                .withMessageContaining("externalKey");
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> putUnless(task().externalKey("order 7")))
                .withMessageContaining("payload");
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> mail().unlessEquivalent(EnumSet.noneOf(TaskState.class)))
                .withMessageContaining("state");
    }

    @Test
    void anUnknownQueueIsAnError() {
        assertThatExceptionOfType(QueueNotFoundException.class)
                .isThrownBy(
                        () -> putUnless(NewTask.to("nowhere").payload("hello").externalKey("order 7")));
    }
}
