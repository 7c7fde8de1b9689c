package dev.leat.cli.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A SQLite file in a folder of its own, which is gone after the demo. */
record DemoFile(Path folder) implements AutoCloseable {
    static DemoFile create() {
        try {
            return new DemoFile(Files.createTempDirectory("leat-demo"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a folder for the demo's file", e);
        }
    }

    String url() {
        return "sqlite:" + folder.resolve("demo.db");
    }

    /** May be called twice: by a demo that ends and by the Ctrl-C that ended it. */
    @Override
    public void close() {
        try (Stream<Path> all = Files.walk(folder)) {
            List<Path> innermostFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path path : innermostFirst) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            // the other close() or the operating system has deleted the files already
        }
    }
}
