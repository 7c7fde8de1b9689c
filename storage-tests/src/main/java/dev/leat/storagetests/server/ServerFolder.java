package dev.leat.storagetests.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The temporary folder of a server, in which its commands run.
 *
 * <p>Database servers refuse to run as root. When this JVM does (containers, CI), the folder belongs to nobody and the
 * commands run as nobody.
 */
final class ServerFolder {
    private static final String SERVER_LOG = "server.log";
    private static final boolean ROOT = "root".equals(System.getProperty("user.name"));
    private static final String NOBODY = "65534";
    private static final List<String> AS_NOBODY =
            List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "--");

    private final Path path;

    private ServerFolder(Path path) {
        this.path = path;
    }

    static ServerFolder create(String name) {
        try {
            Path path = Files.createTempDirectory("leat-" + name + "-");
            if (ROOT) {
                Files.setOwner(
                        path,
                        path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(NOBODY));
            }
            return new ServerFolder(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path path(String file) {
        return path.resolve(file);
    }

    /** Runs a command to its end. */
    void run(List<String> command) {
        String output = "install.log";
        int code = launch(command, output).onExit().join().exitValue();
        if (code != 0) {
            throw new IllegalStateException(command + " failed with " + code + ":\n" + text(output));
        }
    }

    ServerProcess start(List<String> command, String stopSignal) {
        return new ServerProcess(launch(command, SERVER_LOG), stopSignal);
    }

    private Process launch(List<String> command, String output) {
        List<String> whole = new ArrayList<>(ROOT ? AS_NOBODY : List.of());
        whole.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(whole)
                .directory(path.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(path(output).toFile()));
        // A MariaDB that starts deletes the temporary tables it finds, those of another that is being installed too.
        builder.environment().put("TMPDIR", path.toString());
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the server has said. */
    String serverLog() {
        return text(SERVER_LOG);
    }

    String text(String file) {
        try {
            // Not readString: logs contain the bytes of statements, whatever they are.
            return new String(Files.readAllBytes(path(file)), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void delete() {
        delete(path);
    }

    static void delete(Path folder) {
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
