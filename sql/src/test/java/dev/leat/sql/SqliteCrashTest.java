package dev.leat.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Leat;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
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
        String url = "sqlite:" + folder.resolve("jobs.db");
        try (Leat leat = open(url)) {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < TASKS; i++) {
                ids.add(leat.put("q", "task " + i));
            }
            Process victim = start(url);
            assertThat(firstLineOf(victim)).isEqualTo(Integer.toString(TASKS));
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

    private static Process start(String url) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), Victim.class.getName(), url)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String firstLineOf(Process process) throws IOException {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
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
