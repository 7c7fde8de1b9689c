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
 * Says who did what: a line of JSON for each act, to the logger {@code dev.leat.audit} and, if one is wanted, to a file.
 *
 * <p>An act is written by the thread that does it, before it is answered. Refusals on an event loop are written by a thread of
 * their own, and when very many come at once some are left out: strangers must not be able to hold up the server, nor keep acts
 * from being written.
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
     * @param who the name of the token
     * @param address from where
     * @param action the method and the path
     * @param status how it was answered
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

    /** Makes the file if it is not there; throws if it cannot be written. */
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

    /** Writes now, on a thread that may block. */
    public void write(Act act) {
        audit.info("{}", fields(act, JsonNodeFactory.instance.objectNode()));
        file.ifPresent(path -> write(path, act));
    }

    /** Writes soon, for a thread that must not block. */
    public void writeSoon(Act act) {
        try {
            refusals.execute(() -> write(act));
        } catch (RejectedExecutionException e) {
            log.debug("A refusal is left out of the audit log: too many wait to be written");
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
                log.error("The audit log {} cannot be written; acts are logged by dev.leat.audit only", path, e);
            }
        }
    }

    /** Opens it each time: whoever rotates the file need not tell the server. */
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

    /** Writes what waits, within some seconds. */
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
