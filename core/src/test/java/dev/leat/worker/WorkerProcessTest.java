package dev.leat.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.TaskEvent;
import dev.leat.error.InvalidRequestException;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a worker and the JVM that it runs in begin and end together. */
@Tag("jvm")
class WorkerProcessTest {
    private static final int ENDED_BY_INTERRUPT = 130;
    private static final int ENDED_BY_SIGTERM = 143;
    /** Far more than anything here takes, and less than the 20 seconds that a close waits for a handler. */
    private static final Duration SOON = Duration.ofSeconds(15);

    @TempDir
    Path folder;

    private final List<Process> children = new ArrayList<>();

    @AfterEach
    void endChildren() {
        children.forEach(Process::destroyForcibly);
    }

    /** Starts a worker for a task that is due in a moment, and returns from main. */
    static final class Returns {
        public static void main(String[] args) {
            Leat leat = Leat.open("memory:");
            leat.worker()
                    .handle("q", String.class, (payload, task) -> {
                        System.out.println("The task ran");
                        new Thread(leat::close).start();
                    })
                    .keepAlive(Boolean.parseBoolean(args[0]))
                    .start();
            leat.put(NewTask.to("q").delay(Duration.ofMillis(300)).build());
            System.out.println("main returns");
        }
    }

    /** Runs a handler that goes on until its worker stops, or for ever. */
    static final class Busy {
        public static void main(String[] args) throws InterruptedException {
            try (Leat leat = Leat.open("memory:")) {
                leat.onTaskChange(event -> {
                    if (event.kind() == TaskEvent.Kind.ACK) {
                        System.out.println("The task is acknowledged");
                    }
                });
                leat.put("q", "");
                CompletableFuture<Worker> self = new CompletableFuture<>();
                Worker worker = leat.worker()
                        .handle("q", String.class, (payload, task) -> {
                            System.out.println("The handler runs");
                            await().forever().until(() -> self.get().state() != Worker.State.RUNNING);
                            new CountDownLatch(args[0].equals("forever") ? 1 : 0).await();
                        })
                        .start();
                self.complete(worker);
                worker.join();
            }
            System.out.println("The Leat is closed");
        }
    }

    @Test
    void aWorkerKeepsTheJvmAliveUntilItIsClosed() throws Exception {
        Process child = start(Returns.class, "true");

        assertThat(exitOf(child)).isZero();
        assertThat(said()).contains("main returns", "The task ran");
    }

    @Test
    void aWorkerThatIsToldSoLetsTheJvmEndWithMain() throws Exception {
        Process child = start(Returns.class, "false");

        assertThat(exitOf(child)).isZero();
        assertThat(said()).contains("main returns").doesNotContain("The task ran");
    }

    @Test
    void aHandlerEndsAndIsSettledBeforeSigtermEndsTheJvm() throws Exception {
        Process child = start(Busy.class, "until stopped");
        await().atMost(SOON).until(() -> said().contains("The handler runs"));

        child.toHandle().destroy();

        assertThat(exitOf(child)).isEqualTo(ENDED_BY_SIGTERM);
        assertThat(said())
                .contains("Closing with 1 handler running: waits up to 20 s", "The task is acknowledged")
                .doesNotContain("Exception");
    }

    @Test
    void aSecondCtrlCEndsTheJvmAtOnce() throws Exception {
        Process child = start(Busy.class, "forever");
        await().atMost(SOON).until(() -> said().contains("The handler runs"));

        interrupt(child);
        await().atMost(SOON).until(() -> said().contains("Ctrl-C ends the process at once"));
        interrupt(child);

        assertThat(exitOf(child)).isEqualTo(ENDED_BY_INTERRUPT);
        assertThat(said()).doesNotContain("The Leat is closed");
    }

    @Test
    void aClosedLeatIsForgotten() {
        WeakReference<Leat> closed = new WeakReference<>(usedAndClosed());

        await().atMost(SOON).until(() -> {
            System.gc();
            return closed.get() == null;
        });
    }

    private static Leat usedAndClosed() {
        try (Leat leat = Leat.open("memory:")) {
            leat.worker().handle("q", String.class, (payload, task) -> {}).start();
            return leat;
        }
    }

    @Test
    void whoeverClosesALeatThatIsBeingClosedWaitsForTheEnd() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch runs = new CountDownLatch(1);
        Leat leat = Leat.open("memory:");
        leat.put("q", "");
        Worker worker = leat.worker()
                .handle("q", String.class, (payload, task) -> {
                    runs.countDown();
                    mayEnd.await();
                })
                .start();
        runs.await();
        Thread first = new Thread(leat::close);
        Thread second = new Thread(leat::close);
        first.start();
        await().until(() -> worker.state() == Worker.State.STOPPING);
        second.start();
        await().until(() -> second.getState() == Thread.State.WAITING);

        mayEnd.countDown();

        first.join();
        second.join();
        assertThatThrownBy(() -> leat.put("q", "")).isInstanceOf(dev.leat.error.ClosedException.class);
    }

    @Test
    void aLeatThatIsBeingClosedStartsNoFurtherWorker() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch runs = new CountDownLatch(1);
        Leat leat = Leat.open("memory:");
        leat.put("q", "");
        Worker late =
                leat.worker().handle("q", String.class, (payload, task) -> {}).build();
        Worker worker = leat.worker()
                .handle("q", String.class, (payload, task) -> {
                    runs.countDown();
                    mayEnd.await();
                })
                .start();
        runs.await();
        Thread closer = new Thread(leat::close);
        closer.start();
        await().until(() -> worker.state() == Worker.State.STOPPING);

        assertThatThrownBy(late::start).isInstanceOf(dev.leat.error.ClosedException.class);

        assertThat(late.state()).isEqualTo(Worker.State.STOPPED);
        mayEnd.countDown();
        closer.join();
    }

    @Test
    void joinWaitsUntilTheWorkerHasStopped() throws Exception {
        try (Leat leat = Leat.open("memory:")) {
            Worker worker = leat.worker()
                    .handle("q", String.class, (payload, task) -> {})
                    .start();
            assertThat(worker.join(Duration.ofMillis(1))).isFalse();
            Thread waiting = new Thread(() -> {
                try {
                    worker.join();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            waiting.start();
            await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

            worker.close();

            waiting.join();
            assertThat(worker.join(Duration.ZERO)).isTrue();
        }
    }

    @Test
    void joinRefusesToWaitForAWorkerThatWasNotStarted() {
        try (Leat leat = Leat.open("memory:")) {
            Worker worker = leat.worker()
                    .handle("q", String.class, (payload, task) -> {})
                    .build();

            assertThatThrownBy(worker::join)
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("was not started");
        }
    }

    private Process start(Class<?> main, String argument) throws IOException {
        List<String> command = new ArrayList<>();
        if (isInterruptIgnored()) {
            command.addAll(List.of("env", "--default-signal=INT"));
        }
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                argument));
        Process child = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output().toFile())
                .start();
        children.add(child);
        return child;
    }

    /** Whoever runs in the background of a shell without job control ignores SIGINT, and so do its children. */
    private static boolean isInterruptIgnored() throws IOException {
        Path status = Path.of("/proc/self/status");
        int interrupt = 2;
        return Files.exists(status)
                && Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .mapToLong(line -> Long.parseUnsignedLong(
                                line.substring("SigIgn:".length()).strip(), 16))
                        .anyMatch(mask -> (mask & 1L << (interrupt - 1)) != 0);
    }

    private Path output() {
        return folder.resolve("output.txt");
    }

    private String said() throws IOException {
        return Files.readString(output());
    }

    private static void interrupt(Process process) throws Exception {
        new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
    }

    private static int exitOf(Process process) throws InterruptedException {
        assertThat(process.waitFor(SOON.toSeconds(), TimeUnit.SECONDS))
                .as("the child has ended")
                .isTrue();
        return process.exitValue();
    }
}
