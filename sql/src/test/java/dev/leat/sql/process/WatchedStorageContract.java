package dev.leat.sql.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.NewTask;
import dev.leat.Registration;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Notice;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** The same where nobody tells of changes, and each process looks for them. */
abstract class WatchedStorageContract extends SharedStorageContract {
    private static void awaitNotice(Collection<Notice> heard, Notice notice) {
        await().atMost(Duration.ofSeconds(2))
                .untilAsserted(() -> assertThat(heard).contains(notice));
    }

    @Test
    void spaceIsToldOnlyWhereThereWasNone() {
        there.queues().create("full", QueueOptions.builder().capacity(1).build());
        there.put(List.of(NewTask.to("full").build()));
        TakenTask taken = there.take(TakeRequest.from("full")).get(0);
        Collection<Notice> heard = new ConcurrentLinkedQueue<>();
        try (Registration listening = here.signal().listen(heard::add)) {
            put(there);
            awaitNotice(heard, new Notice.Ready(Q));
            assertThat(heard).doesNotContain(new Notice.Ready("full"));

            there.settle(List.of(Settle.ack(taken.lease())));
            awaitNotice(heard, new Notice.Ready("full"));
        }
    }
}
