package dev.leat.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.leat.Leat;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.cli.logging.LokiServer;
import dev.leat.queue.QueueOptions;
import dev.leat.storagetests.server.FreePort;
import dev.leat.storagetests.server.MariaDbServer;
import dev.leat.storagetests.server.PostgresServer;
import dev.leat.topic.Subscription;
import dev.leat.topic.Webhook;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Commands in processes of their own, which know the database by the variables of nsj-queue-lib alone. Covers N1, N2, N19 to N22, N33, N35, N48, N56,
 * N57.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // pipes hear no interrupt
class NsjCommandsTest {
    private final String url = PostgresServer.shared(PostgresServer.Version.V18).newDatabase();
    private final URI database = URI.create(url.substring("jdbc:".length()));
    private final Map<String, String> variables = new HashMap<>(Map.of(
            "DB_HOST", database.getHost(),
            "DB_PORT", String.valueOf(database.getPort()),
            "DB_BASE", database.getPath().substring(1),
            "DB_USER", "postgres",
            "DB_PASS", "se&cret",
            "QUEUE_NAME", "emails",
            "QUEUE_TABLE", "jobs"));

    private static final String SHOP = """
            package com.acme;

            import dev.leat.worker.*;
            import java.util.Map;

            public class Shop implements WorkerProgram {
                @Override
                public void configure(Worker.Builder worker, Map<String, String> environment) {
                    String queue = environment.get("QUEUE_NAME");
                    worker.handle(queue, String.class, (text, task) -> {
                                throw new IllegalStateException("no mailer");
                            })
                            .handle(queue, "invoice", String.class, (text, task) -> System.out.println("invoice: " + text))
                            .handleDead(queue, String.class, (text, task) -> System.out.println("dead: " + text))
                            .subscribers("orders", this);
                }

                @Subscriber("billing")
                public void bill(String order) {
                    System.out.println("billing: " + order);
                }
            }
            """;

    private final List<Process> started = new ArrayList<>();

    @TempDir
    Path folder;

    private Process start(String... args) throws IOException {
        List<String> command = new ArrayList<>(Cli.command());
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("LEAT_"));
        builder.environment().putAll(variables);
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private Cli.Ran run(String... args) throws IOException, InterruptedException {
        Process process = start(args);
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return new Cli.Ran(process.exitValue(), out, err);
    }

    @AfterEach
    void end() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void aWorkerFindsItsDatabaseAndItsQueueWhetherOrNotTheServerIsThere() throws Exception { // N48, N56
        variables.putAll(Map.of("CLIENT_SERVER_MODE", "True", "NOTIFY_SERVICE_PORT", String.valueOf(FreePort.find())));

        Cli.Ran put = run("put", "emails", "hello");
        Cli.Ran work = run("work", "--drain", "--exec", "cat");

        assertThat(put.exit()).as(put.err()).isZero();
        assertThat(work.exit()).as(work.err()).isZero();
        assertThat(work.out()).contains("hello");
        Cli.Ran peek = run("peek", put.out().strip(), "--storage", url + "&prefix=jobs_");
        assertThat(peek.out()).as(peek.err()).contains("done");
        assertThat(optionsOf("emails")).isEqualTo(QueueOptions.nsj());
    }

    private QueueOptions optionsOf(String queue) {
        try (Leat leat = Leat.open(url + "&prefix=jobs_")) {
            return leat.queue(queue).info().orElseThrow().options();
        }
    }

    private Cli.Ran runShopWorker() throws IOException, InterruptedException {
        Path jar = Jars.jar(folder.resolve("app.jar"), List.of(), SHOP);
        return run("worker", "--jar", jar.toString(), "--class", "com.acme.Shop", "--drain");
    }

    @Test
    void aClassServesSeveralProcessesWithTheirDeadRunsAndSubscribers() throws Exception { // N1, N20, N22, N30
        variables.putAll(Map.of("QUEUE_MAX_RETRY", "1", "QUEUE_PURGE_MAX_AGE", "7"));
        try (Leat leat = Leat.open(url + "&prefix=jobs_")) {
            leat.subscriptions().put(Subscription.to("orders", "billing"));
            leat.put("emails", "hello");
            leat.put("emails", "a bill", task -> task.type("invoice"));
            leat.publish("orders", "order 17");
        }

        Cli.Ran worker = runShopWorker();

        assertThat(worker.exit()).as(worker.err()).isZero();
        assertThat(worker.out().lines())
                .containsExactlyInAnyOrder("dead: hello", "invoice: a bill", "billing: order 17");
        assertThat(optionsOf("orders").retry().maxFailures()).isEqualTo(1);
        assertThat(optionsOf("orders").retention().done()).isEqualTo(Duration.ofDays(7));
    }

    @Test
    void eachTableHasQueuesOfItsOwn() throws Exception { // N1
        run("put", "emails", "hello");
        variables.put("QUEUE_TABLE", "outra");
        Cli.Ran other = run("work", "--drain", "--exec", "cat");
        variables.put("QUEUE_TABLE", "jobs");
        Cli.Ran own = run("work", "--drain", "--exec", "cat");

        assertThat(other.exit()).as(other.err()).isZero();
        assertThat(other.out()).isEmpty();
        assertThat(own.out()).as(own.err()).isEqualTo("hello");
    }

    @Test
    void withoutADeadHandlerTheLogSaysThatSomebodyHasToLook() throws Exception { // N22
        variables.put("QUEUE_MAX_RETRY", "1");
        String id = run("put", "emails", "hello").out().strip();

        Cli.Ran work = run("work", "--drain", "--exec", "exit 1");

        assertThat(work.exit()).as(work.err()).isZero();
        assertThat(work.err()).contains("Task " + id + " of queue 'emails' used up its attempts without success");
    }

    @Test
    @Tag("engine")
    void theSameWorksOnTheFamilyOfMySql() throws Exception { // N2
        MariaDbServer server = MariaDbServer.shared();
        String database = server.newDatabase();
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE USER IF NOT EXISTS shop IDENTIFIED BY 'se=cret'");
            statement.execute("GRANT ALL ON *.* TO shop");
        }
        variables.keySet().removeIf(name -> name.startsWith("DB_"));
        variables.putAll(Map.of(
                "DATABASE_DRIVER", "MYSQL",
                "DATABASE_HOST", "127.0.0.1",
                "DATABASE_PORT", String.valueOf(server.port()),
                "DATABASE_NAME",
                        URI.create(database.substring("jdbc:".length()))
                                .getPath()
                                .substring(1),
                "DATABASE_USER", "shop",
                "DATABASE_PASS", "se=cret",
                "QUEUE_TABLE", "filas.teste"));
        run("put", "emails", "a bill", "--type", "invoice");

        Cli.Ran worker = runShopWorker();

        assertThat(worker.out()).as(worker.err()).isEqualTo("invoice: a bill\n");
        try (Leat leat = Leat.open(database + "&schema=filas&prefix=teste_")) {
            assertThat(leat.queue("emails").info().orElseThrow().options()).isEqualTo(QueueOptions.nsj());
        }
    }

    @Test
    void aWebhookHasTheTimeThatTheySay() throws Exception { // N33, N35
        variables.put("DEFAULT_WEBHOOK_TIMEOUT", "1");
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Leat leat = Leat.open(url + "&prefix=jobs_")) {
            leat.subscriptions()
                    .put(Subscription.to("orders", "hook")
                            .webhook(Webhook.to("http://127.0.0.1:" + silent.getLocalPort() + "/")));
            leat.publish("orders", "order 17");

            start("webhooks", "--allow-host", "127.0.0.1");

            await().until(() -> leat.list(TaskQuery.of("orders").states(Set.of(TaskState.SCHEDULED))).stream()
                    .anyMatch(task -> task.failures() == 1));
            assertThat(optionsOf("orders")).isEqualTo(QueueOptions.nsj());
        }
    }

    @Test
    void linesInLokiSayWhichInstallationTheyAreFrom() throws Exception { // N57
        try (LokiServer loki = new LokiServer()) {
            variables.putAll(Map.of("GRAFANA_URL", loki.url(), "ENV", "PROD", "LOG_DEBUG", "true"));

            run("work", "--drain", "--exec", "cat");

            assertThat(loki.pushes()).isNotEmpty().allMatch(push -> "PROD"
                    .equals(push.at("/streams/0/stream/env").textValue()));
        }
    }

    /** Its handler ends when it has nothing more to read. */
    private static final String READER = """
            package com.acme;

            import dev.leat.worker.*;
            import java.util.Map;

            public class Reader implements WorkerProgram {
                @Override
                public void configure(Worker.Builder worker, Map<String, String> environment) {
                    worker.handle(environment.get("QUEUE_NAME"), String.class, (text, task) -> {
                        System.in.readAllBytes();
                        task.ack("finished in peace");
                    });
                }
            }
            """;

    private Process startReader() throws IOException {
        Path jar = Jars.jar(folder.resolve("reader.jar"), List.of(), READER);
        return start("worker", "--jar", jar.toString(), "--class", "com.acme.Reader");
    }

    /** Says so until they have heard it: they may not be listening yet. */
    private void haltUntil(Callable<Boolean> isHeard) {
        await().until(() -> {
            execute("NOTIFY emails, 'HALT'");
            return isHeard.call();
        });
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aHaltLetsARunningTaskEndAndStopsItsWorker() throws Exception { // N47
        try (Leat leat = Leat.open(url + "&prefix=jobs_")) {
            long running = leat.put("emails", "hello");
            Process worker = startReader();
            BufferedReader remarks = worker.errorReader(UTF_8);
            await().until(() -> leat.peek(running).orElseThrow().state() == TaskState.TAKEN);

            haltUntil(() -> remarks.ready() && remarks.readLine().equals("Told to halt."));
            long late = leat.put("emails", "too late");
            worker.getOutputStream().close();

            assertThat(worker.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(worker.exitValue()).isZero();
            assertThat(remarks.lines()).containsExactly("Stopped.");
            assertThat(leat.peek(running).orElseThrow().message()).contains("finished in peace");
            assertThat(leat.peek(late).orElseThrow().attempts()).isZero();
        }
    }

    @Test
    void aHaltStopsWhoSendsWebhooksToo() throws Exception { // N47
        Process webhooks = start("webhooks");

        haltUntil(() -> !webhooks.isAlive());

        assertThat(webhooks.exitValue()).isZero();
        assertThat(webhooks.errorReader(UTF_8).lines()).endsWith("Told to halt.", "Stopped.");
    }

    @Test
    void aWorkerIsKnownByItsQueueAndANameOfItsOwn() throws Exception { // N57
        try (Leat leat = Leat.open(url + "&prefix=jobs_")) {
            leat.put("emails", "hello");
            leat.put("emails", "hello again");
            startReader();
            startReader();

            await().until(() -> leat.queue("emails").stats().count(TaskState.TAKEN) == 2);
        }
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT count(DISTINCT split_part(session, '#', 1)) FROM jobs_tasks WHERE session ~"
                                + " '^emails_WORKER_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}#'")) {
            row.next();
            assertThat(row.getInt(1)).isEqualTo(2);
        }
    }

    @Test
    void aServerListensWhereTheySay() throws Exception { // N48
        int port = FreePort.find();
        variables.putAll(Map.of("CLIENT_SERVER_MODE", "True", "NOTIFY_SERVICE_PORT", String.valueOf(port)));

        Process server = start("server", "--json");
        JsonNode where = new ObjectMapper().readTree(server.getInputStream());

        assertThat(where.get("url").textValue()).isEqualTo("http://127.0.0.1:" + port);
    }

    @Test
    void whatIsMissingIsNamed() throws Exception { // N56
        variables.keySet().removeAll(List.of("DB_PORT", "QUEUE_NAME"));

        Cli.Ran ran = run("stats");

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err())
                .contains("DB_PORT or DATABASE_PORT, QUEUE_NAME")
                .doesNotContain("cret")
                .doesNotContain("Exception");
    }
}
