package dev.leat.bench;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Breaks one guard of core at a time, as {@code mutants.txt} says, and runs the contract suite against each broken core.
 * A mutant that no test notices has survived: a test is missing, or the guard is not needed.
 *
 * <p>Each mutant is compiled here and tested in a JVM of its own, since some of them hang.
 */
final class Mutants {
    private static final String AT_ONCE = "--at-once=";
    private static final Path SOURCES = Path.of("core/src/main/java");
    private static final List<String> TESTS = List.of("core/target/test-classes", "testkit/target/test-classes", "storage-tests/target/test-classes");
    private static final String CLASS_PATH = System.getProperty("java.class.path");
    /** A healthy test takes ten seconds at most, on a busy machine several times as long. */
    private static final Duration LONGEST_TEST = Duration.ofSeconds(60);

    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final Path work;

    private Mutants(Path work) {
        this.work = work;
    }

    /** How one run of the suite ended. */
    private record Verdict(boolean caught, String text) {}

    /** @param args {@code --at-once=4} to test four at once; the names of mutants to test, or parts of them; default all */
    public static void main(String[] args) throws Exception {
        Path work = Files.createTempDirectory("leat-mutants");
        int exit;
        try {
            exit = new Mutants(work).run(List.of(args));
        } catch (Mutant.BadList e) {
            System.err.println(e.getMessage());
            exit = 2;
        } finally {
            delete(work);
        }
        System.exit(exit);
    }

    private int run(List<String> args) throws Exception {
        List<String> names =
                args.stream().filter(arg -> !arg.startsWith(AT_ONCE)).toList();
        List<Mutant> mutants = Mutant.readAll().stream()
                .filter(mutant -> names.isEmpty() || names.stream().anyMatch(mutant.name()::contains))
                .toList();
        if (mutants.isEmpty()) {
            throw new Mutant.BadList("No mutant is called anything like " + names + ".");
        }
        for (Mutant mutant : mutants) {
            mutate(mutant); // a stale one is found now, not after an hour
        }
        if (!isGreenUnmutated()) {
            return 2;
        }
        long survived = testAll(mutants, atOnce(args));
        System.out.printf("%d mutants, %d caught, %d survived%n", mutants.size(), mutants.size() - survived, survived);
        return survived == 0 ? 0 : 1;
    }

    private static int atOnce(List<String> args) {
        return args.stream()
                .filter(arg -> arg.startsWith(AT_ONCE))
                .mapToInt(arg -> Integer.parseInt(arg.substring(AT_ONCE.length())))
                .findFirst()
                .orElse(1);
    }

    /** Whatever fails without a mutant would seem to catch all of them. */
    private boolean isGreenUnmutated() throws IOException, InterruptedException {
        long start = System.nanoTime();
        Verdict verdict = runSuite("unmutated", List.of());
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        System.out.printf("%-44s %s (%d s)%n", "unmutated", verdict.caught ? verdict.text : "green", took.toSeconds());
        return !verdict.caught;
    }

    private long testAll(List<Mutant> mutants, int atOnce) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(atOnce);
        try {
            List<Future<Verdict>> verdicts = new ArrayList<>();
            for (Mutant mutant : mutants) {
                verdicts.add(threads.submit(() -> test(mutant)));
            }
            long survived = 0;
            for (int i = 0; i < mutants.size(); i++) {
                Mutant mutant = mutants.get(i);
                Verdict verdict = verdicts.get(i).get();
                System.out.printf("%-44s %s%n", mutant.name(), verdict.text);
                if (!verdict.caught) {
                    System.out.printf("    it breaks %s%n    in %s%n", mutant.breaks(), mutant.file());
                    survived++;
                }
            }
            return survived;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Mutant.BadList bad ? bad : e;
        } finally {
            threads.shutdownNow();
        }
    }

    private Verdict test(Mutant mutant) throws IOException, InterruptedException {
        Path classes = compile(mutant);
        Verdict verdict = runSuite(mutant.name(), List.of(classes));
        delete(classes);
        return verdict;
    }

    // Compile

    private static String mutate(Mutant mutant) throws IOException {
        return mutant.applyTo(Files.readString(SOURCES.resolve(mutant.file())));
    }

    /** All of core, since the compiler copies constants from one class into others. */
    private Path compile(Mutant mutant) throws IOException {
        Path mutated = SOURCES.resolve(mutant.file());
        Path copy =
                Files.createDirectories(work.resolve(mutant.name() + ".src")).resolve(mutated.getFileName());
        Files.writeString(copy, mutate(mutant));
        List<Path> sources;
        try (Stream<Path> files = Files.walk(SOURCES)) {
            sources = files.filter(file -> file.toString().endsWith(".java"))
                    .map(file -> file.equals(mutated) ? copy : file)
                    .toList();
        }
        Path classes = Files.createDirectories(work.resolve(mutant.name() + ".classes"));
        List<String> options =
                List.of("--release", "17", "-proc:none", "-nowarn", "-classpath", CLASS_PATH, "-d", classes.toString());
        StringWriter errors = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            var task = compiler.getTask(errors, files, null, options, null, files.getJavaFileObjectsFromPaths(sources));
            if (!task.call()) {
                throw new Mutant.BadList("Mutant '" + mutant.name() + "' does not compile:\n" + errors);
            }
        }
        return classes;
    }

    // Test

    private Verdict runSuite(String name, List<Path> mutatedClasses) throws IOException, InterruptedException {
        Path run = Files.createDirectories(work.resolve(name + ".run"));
        Path output = run.resolve("output");
        Process process = new ProcessBuilder(command(mutatedClasses, run))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        while (!process.waitFor(1, TimeUnit.SECONDS)) {
            if (hangs(run)) {
                process.destroyForcibly().waitFor();
                return new Verdict(true, "caught by a hang of " + read(run, "current"));
            }
        }
        return switch (process.exitValue()) {
            case 0 -> new Verdict(false, "SURVIVED" + failedOnce(run));
            case SuiteRun.FAILED -> new Verdict(true, "caught by " + read(run, "current"));
            default ->
                throw new IllegalStateException(
                        "The suite could not be run for '" + name + "':\n" + Files.readString(output));
        };
    }

    /** Whether the last test that was begun, or the start of the first one, takes too long. */
    private static boolean hangs(Path run) throws IOException {
        Path current = run.resolve("current");
        Instant begun = Files.getLastModifiedTime(Files.exists(current) ? current : run.resolve("output"))
                .toInstant();
        return begun.plus(LONGEST_TEST).isBefore(Instant.now());
    }

    private static String read(Path run, String file) throws IOException {
        Path path = run.resolve(file);
        return Files.exists(path) ? Files.readString(path) : "";
    }

    private static String failedOnce(Path run) throws IOException {
        String unsteady = read(run, "unsteady");
        return unsteady.isEmpty() ? "" : ", though " + unsteady + " failed once";
    }

    private static List<String> command(List<Path> mutatedClasses, Path run) {
        List<String> classPath = new ArrayList<>();
        mutatedClasses.forEach(classes -> classPath.add(classes.toString()));
        classPath.addAll(TESTS);
        classPath.add(CLASS_PATH);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", ""),
                "-cp",
                String.join(File.pathSeparator, classPath),
                SuiteRun.class.getName(),
                run.toString()));
        command.addAll(TESTS);
        return command;
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
