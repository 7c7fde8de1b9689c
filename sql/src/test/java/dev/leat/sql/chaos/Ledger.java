package dev.leat.sql.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.leat.Lease;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What one process has seen, in a file of its own. A line has reached the kernel before the process goes on, so it outlives
 * a kill. Safe from any thread.
 */
final class Ledger {
    private final OutputStream file;
    private final String process;

    private Ledger(OutputStream file, String process) {
        this.file = file;
        this.process = process;
    }

    static Ledger of(Path folder, String process) {
        try {
            return new Ledger(
                    Files.newOutputStream(
                            folder.resolve(process), StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                    process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void write(Entry.Event event, Lease lease, String about) {
        write(event, System.nanoTime(), lease, about);
    }

    /** @param since when the call began whose answer this is */
    void write(Entry.Event event, long since, Lease lease, String about) {
        write(event, since, lease.taskId(), lease.token(), about);
    }

    void writeTask(Entry.Event event, long task, String about) {
        write(event, System.nanoTime(), task, "", about);
    }

    void write(Entry.Event event, String about) {
        write(event, System.nanoTime(), about);
    }

    void write(Entry.Event event, long since, String about) {
        write(event, since, 0, "", about);
    }

    private void write(Entry.Event event, long since, long task, String token, String about) {
        Entry entry = new Entry(event, process, since, System.nanoTime(), task, token, about);
        byte[] line = (entry.line() + "\n").getBytes(UTF_8);
        try {
            synchronized (file) {
                file.write(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Everything that all processes have written; not a last line that a kill has cut off. */
    static List<Entry> read(Path folder) {
        List<Entry> entries = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                entries.addAll(readFile(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return entries;
    }

    /** What one process has written; nothing when it has not begun. */
    static List<Entry> readFile(Path file) {
        try {
            if (!Files.exists(file)) {
                return List.of();
            }
            String text = Files.readString(file);
            return text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
                    .map(Entry::parse)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
