package dev.leat.sql;

import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.testkit.ManualClock;
import dev.leat.testkit.StorageFixture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** SQLite storages in a folder of their own, for the contract. */
public final class SqliteFixture implements StorageFixture {
    private final Path folder = newFolder();
    private final ManualClock clock = new ManualClock();
    private Storage storage;
    private Storage realTime;

    @Override
    public Storage storage() {
        if (storage == null) {
            storage = open("manual.db", StorageSettings.at(clock));
        }
        return storage;
    }

    @Override
    public void advance(Duration by) {
        clock.advance(by);
    }

    @Override
    public Storage inRealTime() {
        realTime = open("real.db", StorageSettings.standard());
        return realTime;
    }

    private Storage open(String file, StorageSettings settings) {
        return Storages.open("sqlite:" + folder.resolve(file), settings);
    }

    @Override
    public void close() {
        Stream.of(storage, realTime).filter(Objects::nonNull).forEach(Storage::close);
        delete(folder);
    }

    private static Path newFolder() {
        try {
            return Files.createTempDirectory("leat-sqlite");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
