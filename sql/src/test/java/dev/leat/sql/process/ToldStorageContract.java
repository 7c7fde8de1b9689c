package dev.leat.sql.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.Registration;
import dev.leat.TaskEvent;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Notice;
import dev.leat.storage.Sweep;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** The same where every change is told, and not only what a look from time to time can see. */
abstract class ToldStorageContract extends SharedStorageContract {
    @Test
    void aFreedPlaceIsToldToTheListenersOfTheOther() {
        here.queues().declare(Q, QueueOptions.builder().capacity(1).build(), QueueInfo.SetBy.CODE);
        long id = put(here);

        assertHeardThere(new Notice.Ready(Q), () -> here.delete(id));
    }

    /** The end of a group puts a task that no call answers for: the next sweep here tells of it. */
    @Test
    void whatOnlyTheNextSweepHereHasToTellWakesNobodyThere() {
        long group = here.groups()
                .create(GroupSpec.named("g").end(NewTask.to(Q).build()))
                .id();
        Collection<Notice> heardHere = new ConcurrentLinkedQueue<>();
        Collection<Notice> heardThere = new ConcurrentLinkedQueue<>();
        try (Registration listeningHere = here.signal().listen(heardHere::add);
                Registration listeningThere = there.signal().listen(heardThere::add)) {
            here.groups().start(group);
            here.queues().pause(Q);
            await().untilAsserted(() -> assertThat(heardThere).contains(new Notice.Paused(Q)));
        }

        assertThat(heardHere).contains(Notice.TimerMoved.INSTANCE);
        assertThat(heardThere).contains(new Notice.Ready(Q)).doesNotContain(Notice.TimerMoved.INSTANCE);
        assertThat(here.sweep(new Sweep(Sweep.Sessions.SPARE, 100)).events())
                .extracting(TaskEvent::kind)
                .containsOnly(TaskEvent.Kind.PUT);
    }
}
