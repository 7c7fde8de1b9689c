package dev.leat.storagetests.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A running server, with a guard beside it that stops it when this JVM is killed and runs no shutdown hook. */
final class ServerProcess {
    private static final Duration START_LIMIT = Duration.ofMinutes(1);
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(10);
    private static final Duration STOP_LIMIT = Duration.ofMinutes(1);

    private final Process server;
    private final String stopSignal;
    private final Process guard;

    ServerProcess(Process server, String stopSignal) {
        this.server = server;
        this.stopSignal = stopSignal;
        // The input of the guard is a pipe from this JVM, so the guard sees the end of the JVM in every case, also after SIGKILL.
        this.guard = shell("read -r line; kill -s \"$1\" \"$2\"", stopSignal, Long.toString(server.pid()));
    }

    /** Connects to a server, or fails while it starts. */
    interface Attempt {
        AutoCloseable connect() throws Exception;
    }

    /** Returns when a client gets through. */
    void awaitAnswer(Attempt attempt) {
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        while (true) {
            try (AutoCloseable client = attempt.connect()) {
                return;
            } catch (Exception e) {
                if (endsWithin(BETWEEN_TRIES)) {
                    throw new IllegalStateException("ended while it started", e);
                } else if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("took no connection within " + START_LIMIT, e);
                }
            }
        }
    }

    boolean endsWithin(Duration time) {
        return server.onExit()
                .thenApply(ended -> true)
                .completeOnTimeout(false, time.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    void stop() {
        signal(stopSignal);
        if (!endsWithin(STOP_LIMIT)) {
            kill();
            throw new IllegalStateException("server process " + server.pid() + " did not stop within " + STOP_LIMIT);
        }
        guard.destroyForcibly();
    }

    /** Kills the server and all its children. */
    void kill() {
        guard.destroyForcibly();
        // Stopped first, so that it starts no child between the look at its children and its own end.
        signal("STOP");
        List<ProcessHandle> children = server.descendants().toList();
        children.forEach(ProcessHandle::destroyForcibly);
        server.destroyForcibly().onExit().join();
        awaitEnd(children);
    }

    /** PostgreSQL does not start while a child of its predecessor is attached to the shared memory. */
    private static void awaitEnd(List<ProcessHandle> children) {
        while (children.stream().anyMatch(ServerProcess::isRunning)) {
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }

    static boolean isRunning(ProcessHandle process) {
        return process.isAlive() && !isZombie(process);
    }

    /** A dead orphan counts as alive until the first process collects it, which took a second and may never happen. */
    private static boolean isZombie(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"))
                    .contains(") Z ");
        } catch (IOException e) {
            return false;
        }
    }

    private void signal(String name) {
        if (!server.isAlive()) {
            return;
        }
        shell("kill -s \"$1\" \"$2\"", name, Long.toString(server.pid()))
                .onExit()
                .join();
    }

    private static Process shell(String script, String first, String second) {
        try {
            return new ProcessBuilder("sh", "-c", script, "sh", first, second)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
