package dev.leat.server.internal.access;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Files that nobody but their owner may read or write, where the file system knows of owners. */
public final class OwnerOnly {
    private OwnerOnly() {}

    /** Makes an empty file, or leaves the one that is there as it is. */
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
