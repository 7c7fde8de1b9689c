package dev.leat.sql.internal.peers;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until any process, this one included, writes to a database file or to a file beside it whose name begins alike. The
 * watch can be turned off, because each write costs time while it is on. One thread uses the watch; any thread can close it.
 */
public final class FileWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FileWatch.class);

    private final Path directory;
    private final String name;
    private final WatchService service;
    private @Nullable WatchKey on;

    private FileWatch(Path directory, String name, WatchService service) {
        this.directory = directory;
        this.name = name;
        this.service = service;
    }

    /** Empty except on Linux: on other systems, the JDK's WatchService polls the files every few seconds. */
    public static Optional<FileWatch> at(Path file) {
        Path directory = file.getParent();
        if (directory == null || !System.getProperty("os.name").equals("Linux")) {
            return Optional.empty();
        }
        try {
            return Optional.of(new FileWatch(
                    directory,
                    file.getFileName().toString(),
                    FileSystems.getDefault().newWatchService()));
        } catch (IOException e) {
            log.debug("Polls for the changes of other processes, without a file watch: {}", e.getMessage());
            return Optional.empty();
        }
    }

    /** Returns whether the watch was off. */
    boolean turnOn() throws IOException {
        if (on != null) {
            return false;
        }
        try {
            on = directory.register(service, StandardWatchEventKinds.ENTRY_MODIFY);
            return true;
        } catch (ClosedWatchServiceException e) {
            return false;
        }
    }

    void turnOff() {
        if (on != null) {
            try {
                on.cancel();
            } catch (ClosedWatchServiceException e) {
                log.trace("Closed before it was turned off", e);
            }
            on = null;
        }
    }

    /** Waits for a write; returns whether one came in time. Returns false when closed. */
    boolean awaitWrite(long millis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        boolean written = false;
        try {
            long left = end - System.nanoTime();
            while (!written && left > 0) {
                WatchKey signalled = service.poll(left, TimeUnit.NANOSECONDS);
                written = signalled != null && signalled == on && isDatabase(signalled.pollEvents());
                if (signalled != null) {
                    signalled.reset();
                }
                left = end - System.nanoTime();
            }
        } catch (ClosedWatchServiceException e) {
            log.trace("Closed during a wait", e);
        }
        return written;
    }

    /** An event without a file name means that events were dropped, because there were too many. */
    private boolean isDatabase(List<WatchEvent<?>> events) {
        return events.stream()
                .anyMatch(event ->
                        event.context() == null || event.context().toString().startsWith(name));
    }

    @Override
    public void close() {
        try {
            service.close();
        } catch (IOException e) {
            log.debug("Could not close a file watch", e);
        }
    }
}
