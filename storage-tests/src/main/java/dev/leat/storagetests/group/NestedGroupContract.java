package dev.leat.storagetests.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.GroupInfo.State;
import dev.leat.GroupSpec;
import dev.leat.GroupSpec.OnFailure;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * A task of a group can open another group, and a group whose closing task is put into another one is part of that. Covers R38, rule 18.
 */
public abstract class NestedGroupContract extends GroupTest {
    private static NewTask closingIn(long group, String payload) {
        return NewTask.to(CLOSING).group(group).payload(payload).build();
    }

    /** A group whose end and abort tasks are put into {@code outer}. */
    private static GroupSpec inner(String name, long outer) {
        return GroupSpec.named(name)
                .end(closingIn(outer, "end of " + name))
                .abort(closingIn(outer, "abort of " + name));
    }

    private Task takeClosing() {
        TakenTask taken = take(TakeRequest.from(CLOSING)).get(0);
        ack(taken.lease());
        return taken.task();
    }

    @Test
    void aTaskOfAGroupCanOpenAnother() {
        long outer = createStarted(1);
        Lease opener = take().lease();
        long inner = createStarted(GroupSpec.named("inner"), 2);

        ack(take().lease());
        ack(take().lease());
        assertThat(groupState(inner)).isEqualTo(State.COMPLETED);
        assertEnded(outer, State.STARTED);
        ack(opener);

        assertEnded(outer, State.COMPLETED, "end");
    }

    @Test
    void aGroupEndsAfterThoseThatArePartOfItAndTheirEndTasks() {
        long outer = createStarted(1);
        Lease opener = take().lease();
        long inner = createStarted(inner("inner", outer), 1);
        ack(opener);
        sweep();
        assertThat(groupState(outer)).isEqualTo(State.STARTED);

        ack(take().lease());
        assertThat(groupState(inner)).isEqualTo(State.COMPLETED);
        assertThat(groupState(outer)).isEqualTo(State.STARTED);
        assertCounts(outer, 1, 0, 1, 0, 0);
        Task endOfInner = takeClosing();

        assertThat(endOfInner.payload().text()).isEqualTo("end of inner");
        assertThat(endOfInner.group()).hasValue(outer);
        assertThat(groupState(outer)).isEqualTo(State.COMPLETED);
        assertThat(takeClosing().payload().text()).isEqualTo("end");
    }

    @Test
    void anInnerGroupIsStartedByItself() {
        long outer = createStarted(1);
        long inner = create(inner("inner", outer));
        putIn(inner);
        ack(take().lease());

        assertThat(take(1)).isEmpty();
        assertThat(groupState(outer)).isEqualTo(State.STARTED);
        assertThat(groupState(inner)).isEqualTo(State.OPEN);
    }

    @Test
    void anInnerGroupThatEndsWithoutATaskForTheOuterLetsItEnd() {
        long outer = createStarted(1);
        GroupSpec onlyAbort = GroupSpec.named("inner").abort(closingIn(outer, "abort of inner"));
        createStarted(onlyAbort, 1);
        ack(take().lease());
        assertEnded(outer, State.STARTED);

        ack(take().lease());

        assertEnded(outer, State.COMPLETED, "end");
    }

    @Test
    void groupsEndFromTheInsideHoweverDeepTheyAre() {
        List<Long> groups = new ArrayList<>(List.of(create(spec("g"))));
        for (int depth = 1; depth <= 4; depth++) {
            groups.add(create(GroupSpec.named("g" + depth).abort(closingIn(groups.get(depth - 1), "abort"))));
        }
        putIn(groups.get(4));

        groups.forEach(storage.groups()::start);
        assertThat(groups).allSatisfy(group -> assertThat(groupState(group)).isEqualTo(State.STARTED));
        ack(take().lease());

        assertThat(groups).allSatisfy(group -> assertThat(groupState(group)).isEqualTo(State.COMPLETED));
        assertThat(closingTasks()).containsExactly("end");
    }

    @Test
    void anInnerGroupThatIsCanceledPutsItsAbortTaskIntoTheOuter() {
        long outer = createStarted(1);
        long inner = createStarted(inner("inner", outer), 1);

        storage.groups().cancel(inner, "not needed");

        assertThat(groupState(inner)).isEqualTo(State.CANCELED);
        Task abort = takeClosing();
        assertThat(abort.payload().text()).isEqualTo("abort of inner");
        assertThat(abort.group()).hasValue(outer);
        assertThat(groupState(outer)).isEqualTo(State.STARTED);
    }

    @Test
    void aCanceledGroupCancelsThoseThatArePartOfIt() { // R35
        long outer = createStarted(1);
        long running = createStarted(inner("running", outer), 2);
        long unstarted = create(inner("unstarted", outer));
        long dropped = putIn(unstarted);
        long innermost = createStarted(inner("innermost", running), 0);
        Lease ofOuter = take().lease();
        Lease ofRunning = take().lease();

        storage.groups().cancel(outer, "customer left");
        sweep();

        assertThat(groupState(innermost)).isEqualTo(State.COMPLETED);
        assertThat(groupState(unstarted)).isEqualTo(State.CANCELED);
        assertThat(peek(dropped).message().orElse("")).contains("customer left");
        assertThat(groupState(running)).isEqualTo(State.CANCELING);
        ack(ofOuter);
        assertThat(groupState(outer)).isEqualTo(State.CANCELING);
        ack(ofRunning);
        assertThat(groupState(running)).isEqualTo(State.CANCELED);
        assertThat(groupState(outer)).isEqualTo(State.CANCELED);
        assertThat(closingTasks()).containsExactlyInAnyOrder("abort", "abort of running", "abort of unstarted");
    }

    @Test
    void aGroupThatFailsCancelsThoseThatArePartOfIt() {
        long outer = createStarted(spec("g").onFailure(OnFailure.CANCEL_GROUP), 1);
        long inner = createStarted(inner("inner", outer), 3);

        settle(Settle.bury(take().lease(), "aside"));
        sweep();

        assertThat(groupState(outer)).isEqualTo(State.FAILED);
        assertThat(groupState(inner)).isEqualTo(State.CANCELED);
        assertThat(take(9)).isEmpty();
    }

    @Test
    void changedClosingTasksReleaseAnInnerGroupFromItsOuterGroup() {
        long outer = createStarted(1);
        long inner = create(inner("inner", outer));
        ack(take().lease());
        assertEnded(outer, State.STARTED);

        storage.groups().setTasks(inner, Optional.of(END), Optional.empty());

        assertThat(groupState(outer)).isEqualTo(State.COMPLETED);
        assertThat(groupState(inner)).isEqualTo(State.OPEN);
    }

    @Test
    void aGroupIsNoPartOfOneThatHasEnded() {
        long ended = createStarted(0);

        long inner = createStarted(inner("inner", ended), 0);

        assertThat(groupState(inner)).isEqualTo(State.COMPLETED);
        assertThat(peek(info(inner).closingTask().orElseThrow()).group()).isEmpty();
    }

    @Test
    void aGroupIsPartOfOneOtherAtMostAndNeverOfItself() {
        long group = create(spec("g"));
        long inner = create(inner("inner", group));
        long other = create(GroupSpec.named("other"));

        assertRefused(
                () -> create(GroupSpec.named("both").end(closingIn(group, "")).abort(closingIn(other, ""))));
        assertRefused(() -> storage.groups().setTasks(group, Optional.of(closingIn(group, "")), Optional.empty()));
        assertRefused(() -> storage.groups().setTasks(group, Optional.empty(), Optional.of(closingIn(inner, ""))));
        storage.groups().start(inner);
        assertThat(groupState(inner)).isEqualTo(State.COMPLETED);
    }

    private static void assertRefused(Runnable deed) {
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(deed::run)
                .withMessageContaining("group");
    }
}
