package dev.leat.bench.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.leat.bench.sql.contender.ContenderMain;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A contender in a process of its own. Each method sends one command and waits for its answer; {@link #send} and
 * {@link #answer} do that apart. Used by one thread at a time; what still runs when this JVM ends is killed.
 */
final class ContenderProcess implements AutoCloseable {
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();
    private static final long EXIT_SECONDS = 5;
    /** A URL, so that another commit's process logs as little as the others, wherever it has its own. */
    private static final String LOGGING = Objects.requireNonNull(ContenderProcess.class.getResource("logback.xml"))
            .toString();

    private static final String UNKNOWN_COMMAND = "error this contender does not know the command";

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "contenders"));
    }

    private final Peer peer;
    private final Process process;
    private final BufferedWriter commands;
    private final BufferedReader answers;

    private ContenderProcess(Peer peer, Process process) {
        this.peer = peer;
        this.process = process;
        this.commands = process.outputWriter(UTF_8);
        this.answers = process.inputReader(UTF_8);
        RUNNING.add(process);
    }

    static ContenderProcess start(Peer peer, Node node) throws IOException {
        List<String> command = peer.needsNode() ? node.command(peer.contender()) : javaCommand(peer);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new ContenderProcess(peer, process);
    }

    private static List<String> javaCommand(Peer peer) {
        String classPath =
                peer.otherCommit().map(OtherCommit::classPath).orElseGet(() -> System.getProperty("java.class.path"));
        String mainClass = peer.otherCommit().map(OtherCommit::mainClass).orElseGet(ContenderMain.class::getName);
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms1g",
                "-Xmx1g",
                "-Dlogback.configurationFile=" + LOGGING,
                "-cp",
                classPath,
                mainClass,
                peer.contender());
    }

    void open(Database database) throws IOException {
        ask("open " + (peer.needsNode() ? database.nodeUrl() : database.url()));
    }

    void closeContender() throws IOException {
        ask("close");
    }

    /** Puts tasks from one thread in batches of 1,000; answers the tasks per second. */
    double fill(int tasks) throws IOException {
        return tasks / (number("put " + tasks + " 1 1000") / 1e9);
    }

    /** Starts to work; answers when. */
    long work(Mode mode, int tasksToTime) throws IOException {
        return number("work " + mode + " " + tasksToTime);
    }

    /** What a run is about; the names are part of the commands. */
    enum Mode {
        RATE,
        LATENCY,
        RETRY
    }

    /** Waits until that many tasks are worked off since {@link #work}; answers when that was. */
    long settled(int tasks) throws IOException {
        return number("settled " + tasks + " 900");
    }

    void stopWork() throws IOException {
        ask("stop");
    }

    /** Starts to work, waits for so many tasks, stops; answers the tasks per second. */
    double drain(int tasks) throws IOException {
        long start = work(Mode.RATE, 0);
        double seconds = (settled(tasks) - start) / 1e9;
        stopWork();
        return tasks / seconds;
    }

    /** Puts by 1,000 and works at once for a while, the puts at most {@code window} tasks ahead. */
    Sustained sustain(int millis, int window) throws IOException {
        return Sustained.parse(ask("sustain " + millis + " " + window + " 1000"));
    }

    long number(String command) throws IOException {
        return Long.parseLong(ask(command));
    }

    long[] numbers(String command) throws IOException {
        return numbersOf(ask(command));
    }

    static long[] numbersOf(String answer) {
        return Arrays.stream(answer.split(" "))
                .filter(word -> !word.isEmpty())
                .mapToLong(Long::parseLong)
                .toArray();
    }

    String ask(String command) throws IOException {
        send(command);
        return answer();
    }

    void send(String command) throws IOException {
        try {
            commands.write(command);
            commands.newLine();
            commands.flush();
        } catch (IOException e) {
            throw new IOException("the process of " + peer.title() + " has ended", e);
        }
    }

    String answer() throws IOException {
        String answer = answers.readLine();
        if (answer == null) {
            throw new IOException("the process of " + peer.title() + " has ended");
        }
        if (answer.startsWith(UNKNOWN_COMMAND)) {
            throw new IOException(peer.title() + " does not know this workload:" + answer.substring("error".length()));
        }
        List<String> words = new ArrayList<>(List.of(answer.split(" ", 2)));
        if (!words.get(0).equals("ok")) {
            throw new IOException(answer);
        }
        return words.size() > 1 ? words.get(1) : "";
    }

    /** Ends the process: by the end of its input, or by force. */
    @Override
    public void close() {
        try {
            commands.close();
            process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS);
        } catch (IOException e) {
            // It has ended already.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
        RUNNING.remove(process);
    }
}
