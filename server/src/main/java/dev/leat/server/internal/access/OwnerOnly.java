package dev.leat.server.internal.access;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Files that only their owner can read or write, on file systems with owners. */
public final class OwnerOnly {
    private OwnerOnly() {}

    /** Creates an empty file, or leaves an existing file unchanged. */
    public static void make(Path path) throws IOException {
        boolean hasPermissions =
                path.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] attributes = hasPermissions
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
        try {
            Files.createFile(path, attributes);
        } catch (FileAlreadyExistsException e) {
            return;
        }
    }
}
