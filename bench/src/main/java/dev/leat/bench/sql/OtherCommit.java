package dev.leat.bench.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.leat.bench.sql.contender.ContenderMain;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Another commit of this repository, built once, in a folder of its own.
 *
 * <p>Its contender runs from its own classes and libraries, so that packages may have other names there. This commit
 * relies on one class of the other: its {@code ContenderMain}, in any package, which is started with the name of a
 * contender and reads the same commands.
 *
 * @param sha its full name
 * @param mainClass what its contenders are started by
 */
record OtherCommit(String sha, String classPath, String mainClass) {
    private static final Path FOLDER = Path.of("bench", "target", "against");
    private static final String MAIN_CLASS_FILE = ContenderMain.class.getSimpleName() + ".class";
    private static final int SHORT = 7;
    private static final int ERROR_LINES = 5;

    /**
     * Builds the commit, unless an earlier run has done so.
     *
     * @param name as git understands it: a hash, a tag, a branch, {@code HEAD~5}
     * @throws IOException with a message for the user where there is no such commit, or it does not build
     */
    static OtherCommit build(String name) throws IOException {
        String sha = shaOf(name);
        Path folder = FOLDER.resolve(sha);
        if (!Files.isDirectory(folder)) {
            build(sha, folder);
        }
        Path target = folder.resolve(Path.of("bench", "target"));
        Path classes = target.resolve("classes");
        String classPath = classes + File.pathSeparator + target.resolve("lib").resolve("*");
        return new OtherCommit(sha, classPath, mainClass(sha, classes));
    }

    String shortSha() {
        return shorten(sha);
    }

    private static String shorten(String sha) {
        return sha.substring(0, SHORT);
    }

    private static String shaOf(String name) throws IOException {
        Outcome outcome = run(Path.of("."), "git", "rev-parse", "--verify", "--quiet", name + "^{commit}");
        if (outcome.failed()) {
            throw new IOException("git knows no commit '" + name + "' here");
        }
        return outcome.output().strip();
    }

    /** The folder gets its name when the build has succeeded: one that was broken off is not taken for a result. */
    private static void build(String sha, Path folder) throws IOException {
        System.err.println("building commit " + shorten(sha) + "…");
        Path fresh = folder.resolveSibling(sha + ".new");
        deleteFolder(fresh);
        Files.createDirectories(fresh);
        extract(sha, fresh);
        Outcome build = run(
                fresh,
                fresh.resolve("mvnw").toAbsolutePath().toString(),
                "-B",
                "-ntp",
                "-q",
                "-Dmaven.test.skip=true",
                "-pl",
                "bench",
                "-am",
                "package");
        if (build.failed()) {
            Path log = folder.resolveSibling(sha + ".log");
            Files.writeString(log, build.output());
            throw new IOException("commit " + shorten(sha) + " does not build; the whole log is in " + log + "\n"
                    + build.output().lines().limit(ERROR_LINES).collect(Collectors.joining("\n")));
        }
        Files.move(fresh, folder);
    }

    private static void extract(String sha, Path folder) throws IOException {
        Path archive = Files.createTempFile("leat-bench", ".tar");
        try {
            mustRun("git", "archive", "--output=" + archive, "--format=tar", sha);
            mustRun("tar", "-xf", archive.toString(), "-C", folder.toString());
        } finally {
            Files.delete(archive);
        }
    }

    private static String mainClass(String sha, Path classes) throws IOException {
        return filesBelow(classes).stream()
                .filter(file -> file.endsWith(MAIN_CLASS_FILE))
                .map(file -> classes.relativize(file).toString())
                .map(file -> file.substring(0, file.length() - ".class".length()))
                .map(file -> file.replace(File.separatorChar, '.'))
                .findFirst()
                .orElseThrow(() -> new IOException("commit " + shorten(sha)
                        + " cannot be compared: its bench has no class " + ContenderMain.class.getSimpleName()));
    }

    private static void deleteFolder(Path folder) throws IOException {
        for (Path file : filesBelow(folder)) {
            Files.delete(file);
        }
    }

    /** Files and folders, each folder after what is in it; none where the folder does not exist. */
    private static List<Path> filesBelow(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.sorted(Comparator.reverseOrder()).toList();
        }
    }

    private record Outcome(int exitCode, String output) {
        boolean failed() {
            return exitCode != 0;
        }
    }

    private static void mustRun(String... command) throws IOException {
        Outcome outcome = run(Path.of("."), command);
        if (outcome.failed()) {
            throw new IOException(
                    String.join(" ", command) + " failed: " + outcome.output().strip());
        }
    }

    private static Outcome run(Path folder, String... command) throws IOException {
        Process process = new ProcessBuilder(List.of(command))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        try (InputStream output = process.getInputStream()) {
            process.getOutputStream().close();
            String text = new String(output.readAllBytes(), UTF_8);
            return new Outcome(process.waitFor(), text);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
