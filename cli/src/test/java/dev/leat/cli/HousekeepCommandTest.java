package dev.leat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.NewTask;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code leat housekeep} on a file that nobody has opened for days. */
class HousekeepCommandTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    private String url() {
        return "sqlite:" + folder.resolve("jobs.db");
    }

    private Cli.Ran housekeep(String... more) {
        return Cli.run(Stream.concat(Stream.of("housekeep", "--storage", url()), Stream.of(more))
                .toArray(String[]::new));
    }

    /** Something that was done three days ago. */
    private void before(Consumer<Storage> deed) {
        Instant then = Instant.now().minus(Duration.ofDays(3));
        try (Storage storage = Storages.open(url(), StorageSettings.at(() -> then))) {
            storage.queues().create("q", QueueOptions.standard());
            deed.accept(storage);
        }
    }

    private static void put(Storage storage, NewTask.Builder task) {
        storage.put(List.of(task.build()));
    }

    @Test
    void itSaysWhatItHasDone() {
        before(storage -> {
            put(storage, NewTask.to("q"));
            storage.settle(storage.take(TakeRequest.from("q").detached()).stream()
                    .<Settle>map(task -> Settle.ack(task.lease()))
                    .toList());
            put(storage, NewTask.to("q"));
            storage.take(TakeRequest.from("q").ttr(MINUTE).detached());
            put(storage, NewTask.to("q").delay(MINUTE));
            put(storage, NewTask.to("q").delay(MINUTE.multipliedBy(2)));
            put(storage, NewTask.to("q").ttl(MINUTE));
        });

        Cli.Ran first = housekeep();
        Cli.Ran second = housekeep("--json");

        assertThat(first.out().strip()).as(first.err()).isEqualTo("2 due, 1 lost, 1 expired, 1 purged");
        assertThat(second.out().replaceAll("\\s", "")).isEqualTo("{\"due\":0,\"lost\":0,\"expired\":0,\"purged\":0}");
    }

    @Test
    void theTasksOfADeadProcessComeBackAfterItHasListenedForIt() {
        before(storage -> {
            put(storage, NewTask.to("q"));
            String session = storage.sessions().open(SessionSpec.named("dead"));
            storage.take(TakeRequest.from("q").session(session));
        });

        Cli.Ran atOnce = housekeep();
        Cli.Ran later = housekeep("--end-silent", "300ms");

        assertThat(atOnce.out().strip()).as(atOnce.err()).isEqualTo("0 due, 0 lost, 0 expired, 0 purged");
        assertThat(later.out().strip()).as(later.err()).isEqualTo("0 due, 1 lost, 0 expired, 0 purged");
    }
}
