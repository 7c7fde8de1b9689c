package dev.leat.server.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.Leat;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.server.LeatServer;
import dev.leat.server.ServerOptions;
import dev.leat.sql.process.ChildJvm;
import dev.leat.storagetests.server.FreePort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that is killed under load and started again: its clients go on, and every task is there once and runs once. */
class KilledServerTest {
    private static final String Q = "q";
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int KILLS = 6;
    private static final int PRODUCERS = 3;
    private static final int WORKERS = 2;
    /** How many tasks run between two kills. */
    private static final int RUNS = 300;

    @TempDir
    Path folder;

    private final Map<Long, AtomicInteger> acks = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
    private final Map<String, Long> put = new ConcurrentHashMap<>();

    /** Serves a file on a port until it is killed. */
    static final class Victim {
        public static void main(String[] args) throws InterruptedException {
            Leat leat = Leat.open(args[0]);
            LeatServer server = LeatServer.start(
                    leat,
                    ServerOptions.builder().port(Integer.parseInt(args[1])).build());
            System.out.println(server.port());
            Thread.currentThread().join();
        }
    }

    private String storage() {
        return "sqlite:" + folder.resolve("leat.db");
    }

    private Process startServer(int port) throws Exception {
        Process server = ChildJvm.start(Victim.class, storage(), Integer.toString(port));
        assertThat(ChildJvm.firstLineOf(server)).isEqualTo(Integer.toString(port));
        return server;
    }

    @Test
    void nothingIsLostAndNothingIsDoneTwiceWhenTheServerIsKilled() throws Exception {
        int port = FreePort.find();
        ExecutorService threads = Executors.newFixedThreadPool(PRODUCERS);
        CountDownLatch stop = new CountDownLatch(1);
        List<Leat> clients = new ArrayList<>();
        Process server = startServer(port);
        try {
            List<Future<?>> producers = new ArrayList<>();
            for (int i = 0; i < PRODUCERS; i++) {
                Leat producer = client(port, clients);
                String name = "producer " + i + " task ";
                producers.add(threads.submit(() -> produce(producer, name, stop)));
            }
            for (int i = 0; i < WORKERS; i++) {
                startWorker(client(port, clients));
            }
            for (int kill = 1; kill <= KILLS; kill++) {
                int enough = kill * RUNS;
                await().atMost(LONG).until(() -> runs.size() >= enough);
                server.destroyForcibly().waitFor();
                server = startServer(port);
            }
            stop.countDown();
            for (Future<?> producer : producers) {
                producer.get(LONG.toSeconds(), TimeUnit.SECONDS);
            }
            Leat any = clients.get(0);
            await().atMost(LONG).until(() -> any.queue(Q).stats().live() == 0);
        } finally {
            stop.countDown();
            clients.forEach(Leat::close);
            threads.shutdownNow();
            server.destroyForcibly().waitFor();
        }

        judge();
    }

    private static Leat client(int port, List<Leat> clients) {
        Leat client = Leat.open("http://127.0.0.1:" + port);
        clients.add(client);
        return client;
    }

    private void produce(Leat leat, String name, CountDownLatch stop) {
        for (int i = 0; stop.getCount() > 0; i++) {
            put.put(name + i, leat.put(Q, name + i));
        }
    }

    private void startWorker(Leat leat) {
        leat.onTaskChange(event -> {
            if (event.kind() == TaskEvent.Kind.ACK) {
                count(acks, event.taskId());
            }
        });
        leat.worker()
                .handle(Q, String.class, (name, task) -> count(runs, name))
                .concurrency(4)
                .start();
    }

    private static <T> void count(Map<T, AtomicInteger> counts, T what) {
        counts.computeIfAbsent(what, unused -> new AtomicInteger()).incrementAndGet();
    }

    private void judge() {
        assertThat(put).hasSizeGreaterThan(KILLS * RUNS);
        assertThat(runs.keySet()).as("tasks that ran").isEqualTo(put.keySet());
        assertThat(runs.entrySet().stream().filter(run -> run.getValue().get() != 1))
                .as("tasks that ran more than once")
                .isEmpty();
        assertThat(acks.entrySet().stream().filter(ack -> ack.getValue().get() != 1))
                .as("tasks that were settled twice")
                .isEmpty();
        try (Leat leat = Leat.open(storage())) {
            List<Long> done = new ArrayList<>();
            TaskQuery query = TaskQuery.of(Q).states(TaskState.finished()).limit(TaskQuery.MAX_LIMIT);
            for (List<Task> page = leat.list(query); !page.isEmpty(); page = leat.list(query)) {
                page.forEach(task -> {
                    assertThat(task.state()).isEqualTo(TaskState.DONE);
                    done.add(task.id());
                });
                query = query.after(done.get(done.size() - 1));
            }
            assertThat(done).as("tasks in the file").containsExactlyInAnyOrderElementsOf(put.values());
        }
    }
}
