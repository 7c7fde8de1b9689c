package dev.leat.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Runs commands in this process, with streams of their own. */
public final class Cli {
    private Cli() {}

    /** What starts a process of its own; arguments may follow. */
    public static List<String> command() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // A command ends long before the optimizing compiler and a parallel collector would pay.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED", // as the launcher does
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName());
    }

    /** How a command ended, and what it said. */
    public record Ran(int exit, String out, String err) {}

    public static Ran run(String... args) {
        return runWith("", args);
    }

    static Ran runWith(String input, String... args) {
        InputStream standardIn = System.in;
        PrintStream standardOut = System.out;
        PrintStream standardErr = System.err;
        ClassLoader loader = Thread.currentThread().getContextClassLoader(); // which `worker` changes
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try {
            int exit = Main.execute(args);
            return new Ran(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        } finally {
            System.setIn(standardIn);
            System.setOut(standardOut);
            System.setErr(standardErr);
            Thread.currentThread().setContextClassLoader(loader);
        }
    }
}
