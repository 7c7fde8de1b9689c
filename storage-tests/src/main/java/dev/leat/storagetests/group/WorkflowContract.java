package dev.leat.storagetests.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.GroupInfo;
import dev.leat.NewTask;
import dev.leat.StartedWorkflow;
import dev.leat.TaskState;
import dev.leat.Workflow;
import dev.leat.error.InvalidRequestException;
import dev.leat.storagetests.worker.WorkerTest;
import dev.leat.worker.RunningTask;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Tasks with names that wait for each other, as users describe them. Covers rule 2. */
public abstract class WorkflowContract extends WorkerTest {
    private final List<String> ran = new CopyOnWriteArrayList<>();

    private static NewTask named(String name) {
        return task().payload(name).build();
    }

    private Workflow workflow() {
        return leat.workflow("w").end(named("end")).abort(named("abort"));
    }

    private void work() {
        leat.worker().handle(Q, String.class, this::run).concurrency(4).start();
    }

    private void run(String payload, RunningTask task) {
        ran.add(payload);
        if (payload.startsWith("bad")) {
            task.bury("broken");
        }
    }

    private void awaitRan(int count) {
        await(count + " tasks to run", () -> ran.size() == count);
    }

    @Test
    void aChainRunsInItsOrder() throws InterruptedException {
        work();

        StartedWorkflow started = workflow()
                .task("a", named("a"))
                .then("b", named("b"))
                .then("c", named("c"))
                .start();

        assertThat(started.group().awaitEnd(LONG).state()).isEqualTo(GroupInfo.State.COMPLETED);
        awaitRan(4);
        assertThat(ran).containsExactly("a", "b", "c", "end");
    }

    @Test
    void aLongChainEndsWithItsFirstTask() throws InterruptedException {
        work();
        Workflow chain = workflow().task("bad", named("bad"));
        for (int i = 1; i < 150; i++) {
            chain.then("step " + i, named("step " + i));
        }

        GroupInfo ended = chain.start().group().awaitEnd(LONG);

        assertThat(ended.state()).isEqualTo(GroupInfo.State.COMPLETED);
        assertThat(List.of(ended.failed(), ended.canceled())).containsExactly(1L, 149L);
        awaitRan(2);
        assertThat(ran).containsExactly("bad", "end");
    }

    @Test
    void aTaskWaitsForAThousandOthersAtMost() {
        Workflow wide = workflow().task("last", named("last"));
        for (int i = 0; i < 1_000; i++) {
            wide.after("step " + i);
        }

        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> wide.after("one more"))
                .withMessageContaining("1000 tasks");
    }

    @Test
    void aGraphRunsInAnOrderThatFits() throws InterruptedException {
        work();

        StartedWorkflow started = workflow()
                .task("mail", named("mail"))
                .after("parse", "check")
                .task("fetch", named("fetch"))
                .task("parse", named("parse"))
                .after("fetch")
                .task("check", named("check"))
                .after("fetch")
                .start();

        assertThat(started.group().awaitEnd(LONG).done()).isEqualTo(4);
        awaitRan(5);
        assertThat(ran).startsWith("fetch").endsWith("mail", "end").contains("parse", "check");
        assertThat(started.tasks()).containsOnlyKeys("mail", "fetch", "parse", "check");
        assertThat(peek(started.task("mail")).state()).isEqualTo(TaskState.DONE);
        assertThat(peek(started.task("fetch")).id()).isLessThan(started.task("mail"));
    }

    @Test
    void whatWaitsForAFailureEndsAndTheRestGoesOn() throws InterruptedException {
        work();

        StartedWorkflow started = workflow()
                .task("bad", named("bad"))
                .task("skipped", named("skipped"))
                .after("bad")
                .task("clean up", named("clean up"))
                .afterEnd("bad", "skipped")
                .task("other", named("other"))
                .start();

        GroupInfo ended = started.group().awaitEnd(LONG);
        assertThat(ended.state()).isEqualTo(GroupInfo.State.COMPLETED);
        assertThat(List.of(ended.done(), ended.failed(), ended.canceled())).containsExactly(2L, 1L, 1L);
        awaitRan(4);
        assertThat(ran).contains("bad", "clean up", "other", "end").doesNotContain("skipped");
    }

    @Test
    void queuesThatAreMissingAreMade() throws InterruptedException {
        StartedWorkflow started = leat.workflow("w")
                .task("a", NewTask.to("new").build())
                .end(NewTask.to("newer").build())
                .start();

        assertThat(leat.queue("new").stats().count(TaskState.READY)).isEqualTo(1);
        assertThat(started.group().cancel("enough").state()).isEqualTo(GroupInfo.State.CANCELED);
    }

    private static void assertRefused(Runnable deed, String... words) {
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(deed::run)
                .satisfies(e -> assertThat(e.getMessage()).contains(words));
    }

    @Test
    void mistakesAreFoundBeforeAnythingIsPut() {
        assertRefused(() -> workflow().start(), "no tasks");
        assertRefused(() -> workflow().after("a"), "task before");
        assertRefused(() -> workflow().then("a", named("a")), "task before");
        assertRefused(() -> workflow().task("a", named("a")).task("a", named("a")), "'a'", "already");
        assertRefused(() -> workflow().task("a", named("a")).after("x").start(), "'a'", "'x'", "[a]");
        assertRefused(() -> workflow().task("a", named("a")).after("a").start(), "a after a");
        assertRefused(
                () -> workflow()
                        .task("free", named("free"))
                        .task("a", named("a"))
                        .after("c")
                        .then("b", named("b"))
                        .then("c", named("c"))
                        .then("d", named("d"))
                        .start(),
                "a after c after b after a");
        assertRefused(() -> workflow().task("a", task().group(1).build()), "'a'", "group");
        assertRefused(() -> workflow().task(" ", named("a")), "blank");

        assertThat(leat.group("w")).isEmpty();
        assertThat(leat.queue(Q).stats().live()).isZero();
        assertRefused(() -> workflow().task("a", named("a")).start().task("b"), "'b'", "[a]");
    }
}
