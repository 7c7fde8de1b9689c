package dev.leat.sql.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Leat;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.sql.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that is killed gives back what it held. */
class SqliteCrashTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int TASKS = 5;

    @TempDir
    Path folder;

    private static Leat open(String url) {
        return Leat.builder(url)
                .heartbeat(Duration.ofMillis(100), Duration.ofSeconds(1))
                .open();
    }

    /** Takes what there is, says so, and never ends by itself. */
    static final class Victim {
        public static void main(String[] args) throws InterruptedException {
            Leat leat = open(args[0]);
            System.out.println(leat.take(TakeRequest.from("q").count(TASKS)).size());
            Thread.currentThread().join();
        }
    }

    @Test
    void theTasksOfAKilledProcessComeBack() throws Exception {
        String url = TestDatabase.sqlite(folder).leatUrl();
        try (Leat leat = open(url)) {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < TASKS; i++) {
                ids.add(leat.put("q", "task " + i));
            }
            Process victim = ChildJvm.start(Victim.class, url);
            assertThat(ChildJvm.firstLineOf(victim)).isEqualTo(Integer.toString(TASKS));
            assertThat(leat.take("q")).isEmpty();

            victim.destroyForcibly().waitFor();

            List<TakenTask> back = takeAll(leat);
            assertThat(back).extracting(TakenTask::id).containsExactlyElementsOf(ids);
            assertThat(back)
                    .extracting(TakenTask::task)
                    .extracting(Task::losses)
                    .containsOnly(1);
        }
    }

    private static List<TakenTask> takeAll(Leat leat) throws InterruptedException {
        List<TakenTask> taken = new ArrayList<>();
        while (taken.size() < TASKS) {
            List<TakenTask> more = leat.take(TakeRequest.from("q").count(TASKS), LONG);
            assertThat(more).as("back within %s", LONG).isNotEmpty();
            taken.addAll(more);
        }
        return taken;
    }
}
