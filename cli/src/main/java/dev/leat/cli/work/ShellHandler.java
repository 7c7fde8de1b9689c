package dev.leat.cli.work;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.leat.Payload;
import dev.leat.Task;
import dev.leat.worker.Handler;
import dev.leat.worker.RunningTask;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a shell command for a task; see {@link WorkCommand}. A program whose task is taken away is ended, with all processes that it has
 * started. Safe from any thread.
 */
final class ShellHandler implements Handler<Payload>, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ShellHandler.class);
    private static final int RELEASED = 75;
    /** Beyond it the code is the number of a signal that has ended the program. */
    private static final int SIGNALS = 128;

    private static final long END_SECONDS = 5;
    /** Time to read standard error after the end: a background process may keep it open for ever. */
    private static final long LAST_WORDS_SECONDS = 1;
    /** Each program has one thread that reads its standard error and one that writes its standard input. */
    private static final Executor THREADS = run -> {
        Thread thread = new Thread(run, "leat-work-pipe");
        thread.setDaemon(true);
        thread.start();
    };

    private final String command;
    private final PrintWriter err;
    /** Running programs, each with a future that completes when all of its processes have ended. */
    private final Map<Process, CompletableFuture<Void>> running = new ConcurrentHashMap<>();

    private volatile boolean isStopping;

    ShellHandler(String command, PrintWriter err) {
        // Ctrl-C in a terminal reaches every program there; these have time to end.
        this.command = "trap '' INT\n" + command;
        this.err = err;
    }

    @Override
    public void handle(Payload payload, RunningTask task) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder("/bin/sh", "-c", command).redirectOutput(ProcessBuilder.Redirect.INHERIT);
        describe(task.task(), builder.environment());
        Process process = builder.start();
        CompletableFuture<Void> gone = new CompletableFuture<>();
        running.put(process, gone);
        try {
            LastLine lastLine = new LastLine();
            CompletableFuture<Void> said = CompletableFuture.runAsync(() -> passOn(process, lastLine), THREADS);
            THREADS.execute(() -> feed(process, payload));
            int code = process.waitFor();
            awaitLastWords(said);
            settle(task, code, lastLine.text());
        } finally {
            end(process);
            running.remove(process);
            gone.complete(null);
        }
    }

    private static void describe(Task task, Map<String, String> environment) {
        environment.put("LEAT_TASK_ID", String.valueOf(task.id()));
        environment.put("LEAT_QUEUE", task.queue());
        environment.put("LEAT_ATTEMPT", String.valueOf(task.attempts()));
        environment.put("LEAT_PRIORITY", String.valueOf(task.priority()));
        environment.put("LEAT_CONTENT_TYPE", task.payload().contentType());
        task.key().ifPresent(key -> environment.put("LEAT_KEY", key));
        task.address().ifPresent(address -> environment.put("LEAT_ADDRESS", address));
        task.type().ifPresent(type -> environment.put("LEAT_TYPE", type));
        task.tenant().ifPresent(tenant -> environment.put("LEAT_TENANT", tenant));
    }

    private static void feed(Process process, Payload payload) {
        try (OutputStream input = process.getOutputStream()) {
            input.write(payload.bytes());
        } catch (IOException e) {
            log.debug("A program has not read all of its input, which it need not", e);
        }
    }

    /** Copies standard error, and keeps the last part for the message of a failure. */
    private void passOn(Process process, LastLine lastLine) {
        char[] some = new char[8_192];
        try (Reader reader = new InputStreamReader(process.getErrorStream(), UTF_8)) {
            for (int read = reader.read(some); read >= 0; read = reader.read(some)) {
                err.write(some, 0, read);
                err.flush();
                lastLine.add(some, read);
            }
        } catch (IOException e) {
            log.debug("A program was ended before it had said all", e);
        }
    }

    private static void awaitLastWords(CompletableFuture<Void> said) throws InterruptedException {
        try {
            said.get(LAST_WORDS_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            log.debug("Something in the background keeps the program's standard error open", e);
        }
    }

    private void settle(RunningTask task, int code, String lastLine) {
        if (code == RELEASED || isStopping && code > SIGNALS) {
            task.release();
        } else if (code != 0) {
            task.fail(lastLine.isEmpty() ? "exit code " + code : lastLine, code);
        }
    }

    /** Ends the shell and the processes that it has started; kills those that ignore the signal. */
    private static void end(Process process) {
        if (!process.isAlive()) {
            return;
        }
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        all.forEach(ProcessHandle::destroy);
        CompletableFuture<?>[] ends = all.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(ends).get(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            all.forEach(ProcessHandle::destroyForcibly);
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            all.forEach(ProcessHandle::destroyForcibly);
        }
    }

    /** From now on a program that a signal ends is not to blame. */
    void stopping() {
        isStopping = true;
    }

    /** Ends all that still runs, and returns when it is gone. */
    @Override
    public void close() {
        CompletableFuture<?>[] gone = running.values().toArray(CompletableFuture[]::new);
        running.keySet().forEach(ShellHandler::end);
        try {
            CompletableFuture.allOf(gone).get(END_SECONDS + 1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            log.warn("Some programs could not be ended");
        }
    }

    /** The last line that is not blank, as far as it is worth keeping. */
    private static final class LastLine {
        private static final int LONGEST = 2_000;

        private final StringBuilder line = new StringBuilder();
        private String last = "";

        synchronized void add(char[] text, int length) {
            for (int i = 0; i < length; i++) {
                if (text[i] == '\n') {
                    last = text();
                    line.setLength(0);
                } else if (line.length() < LONGEST) {
                    line.append(text[i]);
                }
            }
        }

        synchronized String text() {
            String current = line.toString().strip();
            return current.isEmpty() ? last : current;
        }
    }
}
