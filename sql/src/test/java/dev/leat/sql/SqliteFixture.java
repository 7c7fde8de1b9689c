package dev.leat.sql;

import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.TestLength;
import dev.leat.testkit.ManualClock;
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
    /** One part in so many of a large test. */
    private static final int SHARE = TestLength.of("leat.share", 4, 1);

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

    private Storage open(String name, StorageSettings settings) {
        Path file = folder.resolve(name);
        try {
            Files.write(file, Empty.DATABASE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Storages.open("sqlite:" + file, settings);
    }

    /** A database with all tables and nothing in them: making them takes longer than most tests. */
    private static final class Empty {
        static final byte[] DATABASE = make();

        private static byte[] make() {
            Path folder = newFolder();
            try {
                Path file = folder.resolve("empty.db");
                Storages.open("sqlite:" + file, StorageSettings.standard()).close();
                return Files.readAllBytes(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                delete(folder);
            }
        }
    }

    @Override
    public int enough(int many) {
        return many / SHARE;
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
