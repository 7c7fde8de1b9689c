package dev.leat.sql.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** N13, N.3-8: of processes that put the same at the same moment, unless it is there, one does; also in transactions of their own. */
class EquivalentPutsOfProcessesTest {
    private static final int PROCESSES = 3;
    private static final int ORDERS = 100;
    private static final String Q = "q";

    @TempDir
    Path folder;

    /** Says that it is ready, waits for a line, puts all orders, and says how many of them it has made. */
    static final class Shop {
        public static void main(String[] args) throws IOException, SQLException {
            TestDatabase database = new TestDatabase(args[0], args[1]);
            try (Leat leat = Leat.open(database.leatUrl());
                    Connection connection = database.connect()) {
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                connection.setAutoCommit(false);
                System.out.println("ready");
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
                int made = 0;
                for (int i = 0; i < ORDERS; i++) {
                    NewTask order = NewTask.to(Q)
                            .payload("order")
                            .externalKey("order " + i)
                            .build();
                    boolean isOdd = i % 2 == 1;
                    made += (isOdd ? leat.with(connection) : leat)
                                    .putUnlessEquivalent(order)
                                    .created()
                            ? 1
                            : 0;
                    connection.commit();
                }
                System.out.println(made);
            }
        }
    }

    @Test
    void onSqlite() throws Exception {
        assertThatOneMakesEach(TestDatabase.sqlite(folder));
    }

    @Test
    void onPostgres() throws Exception {
        assertThatOneMakesEach(TestDatabase.postgres());
    }

    @Test
    @Tag("engine")
    void onMariaDb() throws Exception {
        assertThatOneMakesEach(TestDatabase.mariaDb());
    }

    private static void assertThatOneMakesEach(TestDatabase database) throws IOException {
        try (Leat leat = Leat.open(database.leatUrl())) {
            leat.queue(Q).create(QueueOptions.standard());
            List<Process> processes = new ArrayList<>();
            try {
                for (int i = 0; i < PROCESSES; i++) {
                    processes.add(ChildJvm.start(Shop.class, database.leatUrl(), database.jdbcUrl()));
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
                int made = 0;
                for (BufferedReader answer : answers) {
                    made += Integer.parseInt(answer.readLine());
                }
                assertThat(made).isEqualTo(ORDERS);
                assertThat(leat.queue(Q).stats().live()).isEqualTo(ORDERS);
            } finally {
                processes.forEach(Process::destroyForcibly);
            }
        }
    }
}
