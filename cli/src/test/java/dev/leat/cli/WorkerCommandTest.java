package dev.leat.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Leat;
import dev.leat.TaskState;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code leat worker} with jars that are made here. Covers N27, N30 and the entry points of N56. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // pipes hear no interrupt
class WorkerCommandTest {
    private static final String GREETER = """
            package com.acme;

            import dev.leat.worker.*;
            import java.util.Map;

            public class Greeter implements WorkerProgram {
                @Override
                public void configure(Worker.Builder worker, Map<String, String> environment) {
                    worker.handle("greetings", String.class, (name, task) -> System.out.println("Hello " + name + " from "
                                    + Thread.currentThread().getContextClassLoader().getName()))
                            .handle("farewells", String.class, (name, task) -> System.out.println("Goodbye " + name))
                            .concurrency(2);
                }

                @Override
                public void close() {
                    System.out.println("closed");
                }
            }
            """;

    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void end() {
        started.forEach(Process::destroyForcibly);
    }

    private String storage() {
        return "sqlite:" + folder.resolve("jobs.db");
    }

    private Path jar(String... sources) throws IOException {
        return Jars.jar(folder.resolve("app.jar"), List.of(), sources);
    }

    private Process start(String... args) throws IOException {
        List<String> command = new ArrayList<>(Cli.command());
        command.addAll(List.of(args));
        command.addAll(List.of("--storage", storage()));
        Process process = new ProcessBuilder(command).start();
        started.add(process);
        return process;
    }

    private Cli.Ran worker(String className, Path... jars) {
        List<String> command = new ArrayList<>(List.of("worker", "--jar"));
        for (Path jar : jars) {
            command.add(jar.toString());
        }
        command.addAll(List.of("--class", className, "--drain", "--storage", storage()));
        return Cli.run(command.toArray(String[]::new));
    }

    /** A program with this body of its class. */
    private static String program(String body) {
        return """
                package com.acme;

                import dev.leat.worker.*;
                import java.util.Map;

                public class Program implements WorkerProgram {
                    %s
                }
                """.formatted(body);
    }

    private static final String CONFIGURE =
            "public void configure(Worker.Builder worker, Map<String, String> environment) {%s}";

    private static final String SERVES_Q =
            CONFIGURE.formatted("worker.handle(\"q\", String.class, (text, task) -> {});");

    @Test
    void aClassOfAJarServesItsQueuesOnThreadsThatKnowItsClasses() throws Exception { // N27
        Path jar = jar(GREETER);
        try (Leat leat = Leat.open(storage())) {
            leat.put("greetings", "Ada");
            leat.put("farewells", "Bob");
        }

        Process worker = start("worker", "--jar", jar.toString(), "--class", "com.acme.Greeter", "--drain");

        String out = new String(worker.getInputStream().readAllBytes(), UTF_8);
        String err = new String(worker.getErrorStream().readAllBytes(), UTF_8);
        assertThat(worker.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(worker.exitValue()).as(err).isZero();
        assertThat(out.lines())
                .contains("Hello Ada from program", "Goodbye Bob")
                .last()
                .isEqualTo("closed");
        assertThat(err).contains("com.acme.Greeter serves farewells, greetings.");
    }

    @Test
    void aStoppedWorkerGivesItsTaskBackAndLetsGoOfWhatItsHandlersNeeded() throws Exception {
        Path jar = jar("""
                package com.acme;

                import dev.leat.worker.*;
                import java.util.Map;
                import java.util.concurrent.CountDownLatch;

                public class Stuck implements WorkerProgram {
                    @Override
                    public void configure(Worker.Builder worker, Map<String, String> environment) {
                        worker.handle("q", String.class, (text, task) -> {
                            System.out.println("running");
                            new CountDownLatch(1).await();
                        });
                    }

                    @Override
                    public void close() {
                        System.out.println("closed");
                    }
                }
                """);
        long id;
        try (Leat leat = Leat.open(storage())) {
            id = leat.put("q", "x");
        }
        Process worker =
                start("worker", "--jar", jar.toString(), "--class", "com.acme.Stuck", "--stop-within", "200ms");
        BufferedReader out = worker.inputReader(UTF_8);
        assertThat(out.readLine()).isEqualTo("running");

        worker.toHandle().destroy(); // not Process.destroy, which closes the streams

        assertThat(worker.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(out.readLine()).isEqualTo("closed");
        assertThat(new String(worker.getErrorStream().readAllBytes(), UTF_8))
                .contains("Stopped. 1 unfinished tasks went back.");
        try (Leat leat = Leat.open(storage())) {
            assertThat(leat.peek(id).orElseThrow().state()).isEqualTo(TaskState.READY);
            assertThat(leat.peek(id).orElseThrow().failures()).isZero();
        }
    }

    @Test
    void theCommandLineSaysHowManyRunAtOnceWhateverTheClassSays() throws Exception {
        Path jar = jar(program(CONFIGURE.formatted("""
                java.util.concurrent.CyclicBarrier three = new java.util.concurrent.CyclicBarrier(3);
                worker.concurrency(1).handle("q", String.class, (text, task) -> three.await());
                """)));
        try (Leat leat = Leat.open(storage())) {
            for (int i = 0; i < 3; i++) {
                leat.put("q", "x");
            }
        }

        Process worker = start(
                "worker", "--jar", jar.toString(), "--class", "com.acme.Program", "--concurrency", "3", "--drain");

        assertThat(worker.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(worker.exitValue()).isZero();
    }

    @Test
    void whatTheClassNeedsMayBeInAnotherJarOrInAFolder() throws Exception {
        String library = """
                package org.lib;

                public class Texts {
                    public static String queue() {
                        return "q";
                    }
                }
                """;
        Path lib = Jars.jar(folder.resolve("lib.jar"), List.of(), library);
        Path classes = Jars.classes(folder, List.of(), library);
        Path app = Jars.jar(
                folder.resolve("app.jar"),
                List.of(lib),
                program(CONFIGURE.formatted(
                        "worker.handle(org.lib.Texts.queue(), String.class, (text, task) -> {});")));

        Cli.Ran both = worker("com.acme.Program", app, lib);
        Cli.Ran withFolder = worker("com.acme.Program", app, classes);
        Cli.Ran alone = worker("com.acme.Program", app);

        assertThat(both.exit()).as(both.err()).isZero();
        assertThat(both.err()).contains("com.acme.Program serves q.");
        assertThat(withFolder.exit()).as(withFolder.err()).isZero();
        assertThat(alone.exit()).isEqualTo(1);
        assertThat(alone.err()).contains("com.acme.Program").contains("org/lib/Texts");
    }

    @Test
    void aJarThatIsMissingOrNoneIsNamed() throws Exception {
        Path text = Files.writeString(folder.resolve("notes.txt"), "no jar at all");

        Cli.Ran missing = worker("com.acme.Greeter", folder.resolve("nope.jar"));
        Cli.Ran none = worker("com.acme.Greeter", text);

        assertThat(missing.exit()).isEqualTo(1);
        assertThat(missing.err()).contains("--jar " + folder.resolve("nope.jar") + " is not there");
        assertThat(none.exit()).isEqualTo(1);
        assertThat(none.err()).contains("--jar " + text + " cannot be read as a jar");
    }

    @Test
    void aClassThatIsInNoJarIsNamedAndNothingIsMadeInTheStorage() throws Exception {
        Path jar = jar(GREETER);

        Cli.Ran ran = worker("com.acme.Greeting", jar);

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).contains("--class com.acme.Greeting is in none of " + jar);
        assertThat(folder.resolve("jobs.db")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "public Program(String name) {}                               | has no public constructor without parameters",
                "static final int N = Integer.parseInt(\"many\");             | cannot be loaded: java.lang.NumberFormatException",
                "Program() {}                                                 | has no public constructor without parameters",
                "public Program() { throw new IllegalStateException(\"no mailer\"); } | cannot be made: java.lang.IllegalStateException: no mailer"
            })
    void aClassThatCannotBeMadeSaysWhy(String constructor, String words) throws Exception {
        Cli.Ran ran = worker("com.acme.Program", jar(program(constructor + SERVES_Q)));

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).contains("leat: --class com.acme.Program " + words);
    }

    @Test
    void aClassThatIsNoProgramSaysSo() throws Exception {
        Path jar = jar("package com.acme;\n\npublic class Other {}\n");

        assertThat(worker("com.acme.Other", jar).err())
                .contains("--class com.acme.Other does not implement dev.leat.worker.WorkerProgram");
    }

    @Test
    void anAbstractOrHiddenClassSaysSo() throws Exception {
        Path anAbstract = Jars.jar(
                folder.resolve("abstract.jar"),
                List.of(),
                program(SERVES_Q).replace("public class", "public abstract class"));
        Path hidden = Jars.jar(
                folder.resolve("hidden.jar"),
                List.of(),
                program("public Program() {}" + SERVES_Q).replace("public class", "class"));

        assertThat(worker("com.acme.Program", anAbstract).err()).contains("--class com.acme.Program is abstract");
        assertThat(worker("com.acme.Program", hidden).err()).contains("--class com.acme.Program is not public");
    }

    @Test
    void aClassWithoutHandlersOrThatThrowsSaysSo() throws Exception {
        Path silent = Jars.jar(folder.resolve("silent.jar"), List.of(), program(CONFIGURE.formatted("")));
        Path throwing = Jars.jar(
                folder.resolve("throwing.jar"),
                List.of(),
                program(CONFIGURE.formatted("throw new IllegalStateException(\"no QUEUE_NAME\");")));

        Cli.Ran none = worker("com.acme.Program", silent);
        Cli.Ran thrown = worker("com.acme.Program", throwing);

        assertThat(none.exit()).isEqualTo(1);
        assertThat(none.err()).contains("worker serves no queue; add one with handle(queue, type, handler)");
        assertThat(thrown.exit()).isEqualTo(1);
        assertThat(thrown.err())
                .contains(
                        "leat: --class com.acme.Program cannot say its handlers: java.lang.IllegalStateException: no QUEUE_NAME");
    }
}
