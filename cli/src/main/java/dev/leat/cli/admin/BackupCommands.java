package dev.leat.cli.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.cli.command.StorageUrlCommand;
import dev.leat.cli.console.Output;
import dev.leat.cli.console.Progress;
import dev.leat.error.StorageException;
import dev.leat.sql.SqliteBackup;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leat backup} and {@code leat restore}: whole copies of a SQLite file. */
public final class BackupCommands {
    private BackupCommands() {}

    public abstract static class Copying extends StorageUrlCommand {
        @Parameters(paramLabel = "FILE", description = "The backup.")
        private Path file;

        @Option(names = "--force", description = "Replaces a file that is there.")
        private boolean force;

        /** Whether it is not the storage that is wrong, but FILE, or a file that only --force replaces. */
        public final boolean isAboutTheFile(Throwable e) {
            return e.getCause() instanceof FileAlreadyExistsException
                    || e.getCause() instanceof NoSuchFileException missing
                            && file.toString().equals(missing.getFile())
                    || e instanceof StorageException
                            && String.valueOf(e.getMessage()).startsWith(file + " ");
        }

        public final String hint(Throwable e) {
            return e.getCause() instanceof FileAlreadyExistsException ? "--force replaces it." : fileHint();
        }

        /** The hint for a FILE that cannot be used. */
        abstract String fileHint();

        abstract long expectedBytes(SqliteBackup storage, Path file);

        abstract SqliteBackup.Copied copy(SqliteBackup storage, Path file, LongConsumer progress);

        @Override
        protected final int run(String storageUrl, Output out) {
            SqliteBackup storage = SqliteBackup.of(storageUrl);
            long start = System.nanoTime();
            SqliteBackup.Copied copied;
            try (Progress shown = Progress.onTerminal(name(), () -> OptionalLong.of(expectedBytes(storage, file)))) {
                copied = copy(force ? storage.replacing() : storage, file, shown::show);
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            if (out.isJson()) {
                out.json(JsonNodeFactory.instance
                        .objectNode()
                        .put("bytes", copied.bytes())
                        .put("liveTasks", copied.liveTasks())
                        .put("seconds", seconds));
            } else {
                out.line(String.format(
                        Locale.ROOT, "%,d bytes, %,d live tasks, %.1f s", copied.bytes(), copied.liveTasks(), seconds));
            }
            return 0;
        }
    }

    @Command(
            name = "backup",
            description = {
                "Copies a SQLite storage to FILE while others use it. The copy is consistent and has every put that"
                        + " returned before the backup began.",
                "A copy made by cp lacks what is still in the file that ends with -wal, which may be everything."
            },
            mixinStandardHelpOptions = true)
    public static final class Backup extends Copying {
        @Override
        long expectedBytes(SqliteBackup storage, Path file) {
            return storage.bytes();
        }

        @Override
        String fileHint() {
            return "Name another FILE for the backup.";
        }

        @Override
        SqliteBackup.Copied copy(SqliteBackup storage, Path file, LongConsumer progress) {
            return storage.backUp(file, progress);
        }
    }

    @Command(
            name = "restore",
            description = {
                "Checks FILE, a backup, and puts a copy of it in the place of the SQLite storage. Stop all processes that"
                        + " use the storage first.",
                "Tasks that were taken when the backup was made come back when a process opens the storage."
            },
            mixinStandardHelpOptions = true)
    public static final class Restore extends Copying {
        @Override
        long expectedBytes(SqliteBackup storage, Path file) {
            return file.toFile().length();
        }

        @Override
        String fileHint() {
            return "Name a FILE that 'leat backup' made.";
        }

        @Override
        SqliteBackup.Copied copy(SqliteBackup storage, Path file, LongConsumer progress) {
            return storage.restore(file, progress);
        }
    }
}
