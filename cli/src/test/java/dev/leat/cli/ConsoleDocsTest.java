package dev.leat.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Leat;
import dev.leat.server.LeatServer;
import dev.leat.server.ServerOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Types what a page shows as a console into one shell, and compares what it prints. Whatever … stands for may be anything. A whole class
 * that the page shows is in app.jar.
 */
class ConsoleDocsTest {
    private static final Path DOCS = Path.of("../docs");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```console\\R(.*?)^```");
    private static final Pattern CLASS = Pattern.compile("(?ms)^```java\\R(package .*?)^```");

    @TempDir
    Path folder;

    @Test
    void theCommandLine() throws Exception {
        assertPrintsWhatItSays(Files.readString(DOCS.resolve("cli.md")));
    }

    @Test
    void theHttpApi() throws Exception {
        try (Leat leat = Leat.open("sqlite:" + folder.resolve("served.db"));
                LeatServer server =
                        LeatServer.start(leat, ServerOptions.builder().port(0).build())) {
            assertPrintsWhatItSays(Files.readString(DOCS.resolve("http-api.md"))
                    .replace("localhost:8770", "localhost:" + server.port()));
        }
    }

    private void assertPrintsWhatItSays(String page) throws IOException, InterruptedException {
        List<String> commands = new ArrayList<>();
        StringBuilder expected = new StringBuilder();
        Matcher block = BLOCK.matcher(page);
        while (block.find()) {
            block.group(1).lines().forEach(line -> {
                if (line.startsWith("$ ")) {
                    commands.add(line.substring(2));
                }
                expected.append(line).append('\n');
            });
        }
        assertThat(commands).hasSizeGreaterThan(8);
        Path here = Files.createDirectory(folder.resolve("here"));
        String[] classes =
                CLASS.matcher(page).results().map(shown -> shown.group(1)).toArray(String[]::new);
        if (classes.length > 0) {
            Jars.jar(here.resolve("app.jar"), List.of(), classes);
        }

        String printed = run(commands, here);

        String pattern = Pattern.quote(expected.toString()).replace("…", "\\E[^\n]*?\\Q");
        assertThat(printed.matches(pattern))
                .as("%s%n--- is not what the page says:%n%s", printed, expected)
                .isTrue();
    }

    /** Says each command as a terminal would show it, then runs it. */
    private String run(List<String> commands, Path here) throws IOException, InterruptedException {
        Path bin = Files.createDirectory(folder.resolve("bin"));
        List<String> launch = new ArrayList<>(Cli.command());
        // SQLite's driver tidies up after others who died, and says so when somebody else is doing that too.
        launch.add(1, "-Dorg.sqlite.tmpdir=" + bin);
        Path leat = Files.writeString(
                bin.resolve("leat"),
                "#!/bin/sh\nexec "
                        + launch.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "))
                        + " \"$@\"\n");
        assertThat(leat.toFile().setExecutable(true)).isTrue();
        StringBuilder script = new StringBuilder("exec 2>&1\n");
        for (String command : commands) {
            script.append("cat <<'COMMAND'\n$ ").append(command).append("\nCOMMAND\n");
            script.append(command).append('\n');
        }
        ProcessBuilder shell = new ProcessBuilder("bash", "-c", script.toString()).directory(here.toFile());
        shell.environment().merge("PATH", bin.toString(), (path, ours) -> ours + ":" + path);
        Process process = shell.start();
        CompletableFuture<byte[]> output = CompletableFuture.supplyAsync(() -> {
            try {
                return process.getInputStream().readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        if (!process.waitFor(5, TimeUnit.MINUTES)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        String printed = new String(output.join(), UTF_8);
        return printed;
    }
}
