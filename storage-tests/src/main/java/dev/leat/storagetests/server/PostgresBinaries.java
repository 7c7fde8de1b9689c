package dev.leat.storagetests.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/** Unpacks the PostgreSQL servers of leat-postgres-binaries, once per user and machine. */
final class PostgresBinaries {
    private static final int OWNER_EXECUTES = 0100;

    private PostgresBinaries() {}

    /** The folder with {@code bin}, {@code lib} and {@code share} of a major version. */
    static Path unpacked(String version) {
        try {
            byte[] archive = archive("postgres-" + version + ".jar");
            Path home = Path.of(System.getProperty("java.io.tmpdir"))
                    .resolve("leat-postgres-" + version + "-" + checksum(archive) + "-"
                            + System.getProperty("user.name"));
            if (!Files.isDirectory(home)) {
                unpack(archive, home);
            }
            return home;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The one tar.xz inside a jar of binaries. */
    private static byte[] archive(String jar) throws IOException {
        try (InputStream in = PostgresBinaries.class.getResourceAsStream(jar)) {
            if (in == null) {
                throw new IllegalStateException(
                        jar + " is not on the class path: add a dependency on dev.leat:leat-postgres-binaries");
            }
            ZipInputStream files = new ZipInputStream(in);
            for (ZipEntry file = files.getNextEntry(); file != null; file = files.getNextEntry()) {
                if (file.getName().endsWith(".txz")) {
                    return files.readAllBytes();
                }
            }
            throw new IllegalStateException("no .txz in " + jar);
        }
    }

    private static String checksum(byte[] archive) {
        CRC32 sum = new CRC32();
        sum.update(archive);
        return Long.toHexString(sum.getValue());
    }

    /** Unpacks into another folder and renames the folder at the end, so that another JVM never sees a part. */
    private static void unpack(byte[] archive, Path home) throws IOException {
        Path fresh = home.resolveSibling(home.getFileName() + "-" + UUID.randomUUID());
        try (TarArchiveInputStream files =
                new TarArchiveInputStream(new XZCompressorInputStream(new ByteArrayInputStream(archive)))) {
            for (TarArchiveEntry file = files.getNextEntry(); file != null; file = files.getNextEntry()) {
                write(files, file, fresh.resolve(file.getName()));
            }
        }
        permit(fresh, "rwxr-xr-x");
        try {
            Files.move(fresh, home, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            ServerFolder.delete(fresh);
            if (!Files.isDirectory(home)) {
                throw e;
            }
        }
    }

    private static void write(InputStream content, TarArchiveEntry file, Path to) throws IOException {
        if (file.isDirectory()) {
            Files.createDirectories(to);
            permit(to, "rwxr-xr-x");
            return;
        }
        Files.createDirectories(to.getParent());
        if (file.isSymbolicLink()) {
            Files.createSymbolicLink(to, Path.of(file.getLinkName()));
        } else {
            Files.copy(content, to);
            permit(to, (file.getMode() & OWNER_EXECUTES) != 0 ? "rwxr-xr-x" : "rw-r--r--");
        }
    }

    /** Whatever the umask: the server may run as another user. */
    private static void permit(Path file, String permissions) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }
}
