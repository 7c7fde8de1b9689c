package dev.leat.bench.sql.contender;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs one contender as a process: a command per line in, {@code ok …} or {@code error …} per line out.
 *
 * <p>{@code bench/sql --against} of later commits starts this class too. So its simple name, the names of the contenders
 * and the meaning of a command stay as they are; a workload that needs something else gets a new command.
 */
public final class ContenderMain {
    private ContenderMain() {}

    /** @param args the name of the contender */
    public static void main(String[] args) throws Exception {
        PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
        System.setOut(System.err); // what a library prints is not an answer
        Contender contender = contender(args[0]);
        Map<String, Command> commands = new HashMap<>(new CommonCommands(contender).all());
        if (contender instanceof LeatContender leat) {
            commands.putAll(new LeatCommands(leat).all());
        } else if (contender instanceof RawSqliteContender raw) {
            commands.putAll(raw.commands());
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            answers.println(answer(commands, line));
        }
        System.exit(0);
    }

    private static Contender contender(String name) {
        return switch (name) {
            case "leat" -> LeatContender.forgetting();
            case "leat-keeping" -> LeatContender.keeping();
            case "leat-keeping-payloads" -> LeatContender.keepingPayloads();
            case "raw-jdbc" -> new RawJdbcContender();
            case "raw-sqlite" -> new RawSqliteContender();
            case "db-scheduler" -> new DbSchedulerContender();
            case "jobrunr" -> new JobRunrContender();
            default -> throw new IllegalArgumentException("no contender is called " + name);
        };
    }

    private static String answer(Map<String, Command> commands, String line) {
        List<String> words = List.of(line.split(" "));
        Command command = commands.get(words.get(0));
        if (command == null) {
            return "error this contender does not know the command '" + words.get(0) + "'";
        }
        try {
            return ("ok " + command.run(new Command.Words(words.subList(1, words.size())))).strip();
        } catch (Exception e) {
            e.printStackTrace();
            return "error " + String.valueOf(e).replaceAll("\\s+", " ");
        }
    }
}
