package dev.leat.server.internal.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.error.InvalidRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one line of JSON for each audited act, to the logger {@code dev.leat.audit} and, if configured, to a file.
 *
 * <p>The thread that does an act writes it, before the answer. A thread of this log writes the refusals of event loops. Some refusals are
 * dropped when too many wait, so that strangers can neither delay the server nor the writing of acts.
 */
public final class AuditLog implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(AuditLog.class);
    private static final Logger audit = LoggerFactory.getLogger("dev.leat.audit");
    private static final int MOST_WAITING = 1_000;
    private static final long STOP_SECONDS = 5;

    private final Optional<Path> file;
    private final ThreadPoolExecutor refusals;
    private final AtomicBoolean hasTrouble = new AtomicBoolean();

    /**
     * One act.
     *
     * @param who the name of the caller's token
     * @param address the address of the caller
     * @param action the method and the path
     * @param status the HTTP status of the answer
     */
    public record Act(String who, String address, String action, int status) {}

    private AuditLog(Optional<Path> file) {
        this.file = file;
        refusals = new ThreadPoolExecutor(
                1, 1, STOP_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST_WAITING), run -> {
                    Thread thread = new Thread(run, "leat-audit");
                    thread.setDaemon(true);
                    return thread;
                });
        refusals.allowCoreThreadTimeOut(true);
    }

    /** Creates the file if it is missing; throws if the file is not writable. */
    public static AuditLog to(Optional<Path> file) {
        file.ifPresent(path -> {
            try {
                append(path, "");
            } catch (IOException e) {
                throw new InvalidRequestException("auditLog", "cannot be written: " + e, e);
            }
        });
        return new AuditLog(file);
    }

    /** Writes an act now, on a thread that may block. */
    public void write(Act act) {
        audit.info("{}", fields(act, JsonNodeFactory.instance.objectNode()));
        file.ifPresent(path -> write(path, act));
    }

    /** Writes an act soon, from a thread that must not block. */
    public void writeSoon(Act act) {
        try {
            refusals.execute(() -> write(act));
        } catch (RejectedExecutionException e) {
            log.debug("Dropped a refusal from the audit log: too many wait to be written");
        }
    }

    private void write(Path path, Act act) {
        ObjectNode line = JsonNodeFactory.instance
                .objectNode()
                .put("time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
        try {
            append(path, fields(act, line) + "\n");
            hasTrouble.set(false);
        } catch (IOException e) {
            if (!hasTrouble.getAndSet(true)) {
                log.error("Could not write the audit log {}; only the logger dev.leat.audit has the acts", path, e);
            }
        }
    }

    /** Opens the file for each write, so that the file can be rotated without a signal to the server. */
    private static void append(Path path, String text) throws IOException {
        OwnerOnly.make(path);
        Files.writeString(path, text, UTF_8, StandardOpenOption.APPEND);
    }

    private static ObjectNode fields(Act act, ObjectNode line) {
        return line.put("who", act.who())
                .put("address", act.address())
                .put("action", act.action())
                .put("status", act.status());
    }

    /** Writes the waiting refusals, within some seconds. */
    @Override
    public void close() {
        refusals.shutdown();
        try {
            if (!refusals.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                refusals.shutdownNow();
            }
        } catch (InterruptedException e) {
            refusals.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
