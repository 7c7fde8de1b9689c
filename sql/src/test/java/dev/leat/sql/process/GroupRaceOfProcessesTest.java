package dev.leat.sql.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.sql.TestDatabase;
import dev.leat.storage.Storage;
import dev.leat.storagetests.TestLength;
import dev.leat.storagetests.group.GroupRace;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** rule 18: a group ends once, also if processes of their own start, cancel and work it off at the same moment. */
class GroupRaceOfProcessesTest {
    private static final int PROCESSES = 2;
    private static final int THREADS_EACH = 4;
    private static final int GROUPS = TestLength.of("leat.group.races", 150, 500);

    @TempDir
    Path folder;

    /** Says that it is ready, waits for a line, races the groups it is told of, and says when it is done. */
    static final class Racer {
        public static void main(String[] args) throws IOException {
            List<Long> groups =
                    Arrays.stream(args[1].split(",")).map(Long::valueOf).toList();
            try (Storage storage = TestDatabase.at(args[0]).open()) {
                System.out.println("ready");
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
                GroupRace.among(groups).run(THREADS_EACH, List.of(storage));
                System.out.println("done");
            }
        }
    }

    @Test
    void onSqlite() throws Exception {
        assertThatEachEndsOnce(TestDatabase.sqlite(folder));
    }

    @Test
    void onPostgres() throws Exception {
        assertThatEachEndsOnce(TestDatabase.postgres());
    }

    @Test
    @Tag("engine")
    void onMariaDb() throws Exception {
        assertThatEachEndsOnce(TestDatabase.mariaDb());
    }

    private static void assertThatEachEndsOnce(TestDatabase database) throws IOException {
        try (Storage storage = database.open()) {
            GroupRace race = GroupRace.of(GROUPS, storage);
            String groups = race.groups().stream().map(String::valueOf).collect(Collectors.joining(","));
            List<Process> processes = new ArrayList<>();
            try {
                for (int i = 0; i < PROCESSES; i++) {
                    processes.add(ChildJvm.start(Racer.class, database.leatUrl(), groups));
                }
                List<BufferedReader> answers =
                        processes.stream().map(Process::inputReader).toList();
                for (BufferedReader answer : answers) {
                    assertThat(answer.readLine()).isEqualTo("ready");
                }
                for (Process process : processes) {
                    OutputStream line = process.getOutputStream();
                    line.write('\n');
                    line.flush();
                }
                for (BufferedReader answer : answers) {
                    assertThat(answer.readLine()).isEqualTo("done");
                }
                race.assertEachEndedOnce(storage);
            } finally {
                processes.forEach(Process::destroyForcibly);
            }
        }
    }
}
