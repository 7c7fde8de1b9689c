package dev.leat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.leat.worker.WorkerProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What users of nsj-queue-lib read and start first. Covers N2, N43, N48 to N57 as far as variables go. */
class FromNsjTest {
    private static final Path ROOT = Path.of("..");

    /** Those of the tables in its documentation, and its drivers' name from its code. */
    private static final Set<String> VARIABLES = Set.of(
            "DB_HOST",
            "DB_PORT",
            "DB_BASE",
            "DB_USER",
            "DB_PASS",
            "DB_DRIVER",
            "DATABASE_HOST",
            "DATABASE_PORT",
            "DATABASE_NAME",
            "DATABASE_USER",
            "DATABASE_PASS",
            "DATABASE_DRIVER",
            "QUEUE_NAME",
            "QUEUE_TABLE",
            "QUEUE_SUBSCRIBER_TABLE",
            "LOG_DEBUG",
            "QUEUE_MAX_RETRY",
            "QUEUE_BASE_INTERVAL_RETRY",
            "QUEUE_MINUTE_RETRY_THREAD",
            "QUEUE_MINUTE_PURGE_THREAD",
            "QUEUE_MINUTE_NOTIFY_THREAD",
            "QUEUE_PURGE_MAX_AGE",
            "QUEUE_PURGE_LIMIT",
            "QUEUE_WAIT_NOTIFY_INTERVAL",
            "DEFAULT_WEBHOOK_TIMEOUT",
            "ENV",
            "GRAFANA_URL",
            "CLIENT_SERVER_MODE",
            "SERVER_HOST",
            "MAX_CLIENT_THREADS",
            "CHECK_TASKS_INTERVAL",
            "LOCK_SERVICE_WAIT_CONN_INTERVAL",
            "NOTIFY_SERVICE_PORT",
            "LOCK_SERVICE_PORT",
            "TIMEOUT_SOCKET_MESSAGE",
            "MULTI_DATABASE",
            "MULTI_DATABASE_USER",
            "MULTI_DATABASE_PASSWORD",
            "MULTI_DATABASE_CLIENT_ID",
            "MULTI_DATABASE_API_CREDETIALS_URL",
            "OAUTH_TOKEN_URL");

    @Test
    void thePageTellsWhatBecomesOfEachVariable() throws IOException {
        String tables = Files.readAllLines(ROOT.resolve("docs/from-nsj.md")).stream()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.substring(0, line.indexOf('|', 1)))
                .collect(Collectors.joining());

        assertThat(VARIABLES).allSatisfy(name -> assertThat(tables).contains("`" + name + "`"));
    }

    @Test
    void theContainersRunCommandsAndClassesThatThereAre() throws Exception {
        List<String> unknown = new ArrayList<>();
        Set<String> entryPoints = new TreeSet<>();
        for (List<String> command : commandsOfTheContainers()) {
            CommandLine.ParseResult parsed = Main.commandLine().parseArgs(command.toArray(String[]::new));
            entryPoints.add(parsed.subcommand().commandSpec().name());
            String program = parsed.subcommand().matchedOptionValue("--class", "");
            if (!program.isEmpty() && !WorkerProgram.class.isAssignableFrom(Class.forName(program))) {
                unknown.add(program);
            }
        }

        assertThat(entryPoints).containsExactly("server", "webhooks", "worker");
        assertThat(unknown).isEmpty();
    }

    private static List<List<String>> commandsOfTheContainers() throws IOException {
        ObjectMapper json = new ObjectMapper();
        List<List<String>> commands = new ArrayList<>();
        String file = Files.readString(ROOT.resolve("compose.yaml"));
        List<MatchResult> lines =
                Pattern.compile("(?m)^ +command: (.*)$").matcher(file).results().toList();
        for (MatchResult line : lines) {
            commands.add(List.of(json.readValue(line.group(1), String[].class)));
        }
        return commands;
    }
}
