package dev.leat.bench.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/** A server in a process of its own, as it is in use. */
final class MeasuredServer implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;
    private final Writer in;
    private final int port;

    MeasuredServer(String storage) throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-XX:-UsePerfData", // as ./leat has it
                        "-Dlogback.configurationFile=dev/leat/bench/logback.xml",
                        "-cp",
                        System.getProperty("java.class.path"),
                        BenchServer.class.getName(),
                        storage)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        in = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        port = (int) number();
    }

    private long number() throws IOException {
        String line = out.readLine();
        if (line == null) {
            throw new IOException("the server has ended");
        }
        return Long.parseLong(line);
    }

    int port() {
        return port;
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    /** In bytes, after a collection. */
    long heap() throws IOException {
        in.write("heap\n");
        in.flush();
        return number();
    }

    Duration cpu() {
        return process.info().totalCpuDuration().orElseThrow();
    }

    @Override
    public void close() throws IOException {
        in.close();
        process.destroy();
    }
}
