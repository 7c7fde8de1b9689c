package dev.leat.storagetests.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Housekeeping;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.TakeRequest;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.storagetests.ContractTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What time demands, done when somebody asks for it, and counted. Covers N40, N42, N43. */
public abstract class HousekeepingContract extends ContractTest {
    private Leat leat;

    @AfterEach
    void closeLeat() {
        leat.close();
    }

    /** The clock stands still when it comes, so that everything is done that it has to do. */
    private void openLeat() {
        leat = Leat.builder("").storage(storage).open();
    }

    private void finishOne() {
        put("done");
        ack(take().lease());
    }

    private void holdOne(Duration ttr) {
        storage.queues().create("held", QueueOptions.standard());
        put(NewTask.to("held"));
        storage.take(TakeRequest.from("held").ttr(ttr).detached());
    }

    @Test
    void whatIsDueLostExpiredAndKeptLongEnoughIsCounted() { // N40, N42, N43
        finishOne();
        fixture.advance(Duration.ofDays(3));
        long scheduled = put(task().delay(minutes(1))).id();
        long hurried = put(task().ttl(minutes(1))).id();
        holdOne(minutes(1));
        fixture.advance(minutes(1));
        openLeat();

        assertThat(leat.housekeep()).isEqualTo(new Housekeeping(1, 1, 1, 1));
        assertThat(state(scheduled)).isEqualTo(TaskState.READY);
        assertThat(state(hurried)).isEqualTo(TaskState.EXPIRED);
        assertThat(storage.take(TakeRequest.from("held").detached())).hasSize(1);
    }

    @Test
    void aSecondRoundFindsNothing() {
        finishOne();
        fixture.advance(Duration.ofDays(3));
        put(task().delay(minutes(1)));
        fixture.advance(minutes(1));
        openLeat();
        leat.housekeep();

        assertThat(leat.housekeep()).isEqualTo(Housekeeping.nothing());
    }

    @Test
    void housekeepingChangesNothingBeforeItsTime() {
        finishOne();
        put(task().delay(minutes(1)));
        put(task().ttl(minutes(1)));
        holdOne(minutes(1));
        fixture.advance(seconds(59));
        openLeat();

        assertThat(leat.housekeep()).isEqualTo(Housekeeping.nothing());
    }

    @Test
    void oneHousekeepingRoundHandlesAnyNumberOfTasks() {
        int many = 6_000;
        storage.put(Collections.nCopies(many, task().delay(minutes(1)).build()));
        fixture.advance(minutes(1));
        openLeat();

        assertThat(leat.housekeep().due()).isEqualTo(many);
        assertThat(storage.queues().stats(Q).count(TaskState.READY)).isEqualTo(many);
    }

    @Test
    void whatWasDoneIsHeardByListeners() {
        List<NewTask> delayed = List.of(task().delay(minutes(1)).build());
        openLeat();
        List<Object> heard = Collections.synchronizedList(new ArrayList<>());
        leat.onTaskChange(heard::add);
        storage.put(delayed);
        fixture.advance(minutes(1));

        leat.housekeep();

        assertThat(heard).hasSize(1);
    }
}
