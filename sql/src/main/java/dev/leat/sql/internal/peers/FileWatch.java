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
 * Rings when any process has written to a database file, or one beside it whose name begins with the file's. It hears only while it is
 * on: each write would cost something. Used by one thread; others may close it.
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

    /** Only Linux has one: elsewhere the JDK itself looks at the files, every few seconds. */
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
            log.debug("What other processes write is looked for: {}", e.getMessage());
            return Optional.empty();
        }
    }

    /** Answers whether it was off. */
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
                log.trace("closed while it was turned off", e);
            }
            on = null;
        }
    }

    /** Waits until it rings, for so long at most and not when closed; answers whether it did. */
    boolean await(long millis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        boolean isRung = false;
        try {
            long left = end - System.nanoTime();
            while (!isRung && left > 0) {
                WatchKey heard = service.poll(left, TimeUnit.NANOSECONDS);
                isRung = heard != null && heard == on && isOurs(heard.pollEvents());
                if (heard != null) {
                    heard.reset();
                }
                left = end - System.nanoTime();
            }
        } catch (ClosedWatchServiceException e) {
            log.trace("closed while somebody waited", e);
        }
        return isRung;
    }

    /** One that has no name says that there were too many. */
    private boolean isOurs(List<WatchEvent<?>> events) {
        return events.stream()
                .anyMatch(event ->
                        event.context() == null || event.context().toString().startsWith(name));
    }

    @Override
    public void close() {
        try {
            service.close();
        } catch (IOException e) {
            log.debug("A bell could not be closed", e);
        }
    }
}
