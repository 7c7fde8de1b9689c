package dev.leat.storagetests.server;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Finds programs that this machine has installed. */
final class Program {
    private Program() {}

    /**
     * Servers are often in a directory that only root's PATH has.
     *
     * @param packages where Debian has it
     */
    static String find(String program, String packages) {
        String path = System.getenv().getOrDefault("PATH", "");
        return Stream.concat(Stream.of(path.split(File.pathSeparator)), Stream.of("/usr/sbin", "/usr/bin"))
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(program + " is neither on the PATH nor in /usr/sbin."
                        + " ./check installs it, or on Debian: apt-get install " + packages));
    }
}
