package dev.leat.bench.server;

import dev.leat.Leat;
import dev.leat.bench.Machine;
import dev.leat.bench.Median;
import dev.leat.wire.Hello;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The same work embedded and through a server, on the same SQLite file, by turns. The server is a process of its own and stays for all
 * rounds, so that both sides are compiled.
 */
final class ServerBench {
    private static final int ROUNDS = 3;
    private static final Duration TURN = Duration.ofSeconds(5);
    private static final Duration WARM_UP = Duration.ofSeconds(12);
    private static final int CONSUMERS = 1_000;
    /** Until most of what they need is compiled. */
    private static final Duration SETTLE = Duration.ofSeconds(120);
    /** Each a minute, in which all ask again once. In some of them the compiler still does something. */
    private static final int WATCHES = 5;

    private static final Duration WATCH = Duration.ofSeconds(60);
    private static final double MIB = 1 << 20;

    private boolean isAnyMissed;

    private ServerBench() {}

    /** @param args {@code --soak} for ten minutes of load and the server's heap instead */
    public static void main(String[] args) throws Exception {
        List<String> options = List.of(args);
        if (!List.of(List.of(), List.of("--soak")).contains(options)) {
            System.err.println("usage: bench/server [--soak]");
            System.exit(2);
        }
        System.out.println(Machine.here());
        ServerBench bench = new ServerBench();
        Path file = Files.createTempDirectory("leat-bench").resolve("leat.db");
        try (MeasuredServer server = new MeasuredServer("sqlite:" + file);
                Leat remote = Leat.open(server.url())) {
            if (options.isEmpty()) {
                bench.compare(file, server, remote);
                bench.waiting(server);
            } else {
                bench.soak(server, remote);
            }
        }
        System.exit(bench.isAnyMissed ? 1 : 0);
    }

    private void compare(Path file, MeasuredServer server, Leat remote) throws Exception {
        try (Leat embedded = Leat.open("sqlite:" + file)) {
            for (int batch : new int[] {100, 1}) {
                System.err.println("warming up…");
                Flow.rate(embedded, "warm", batch, WARM_UP);
                Flow.rate(remote, "warm", batch, WARM_UP);
                List<Double> ratios = new ArrayList<>();
                for (int round = 0; round < ROUNDS; round++) {
                    double own = Flow.rate(embedded, "own", batch, TURN);
                    double served = Flow.rate(remote, "served", batch, TURN);
                    ratios.add(served / own);
                    say("batches of %d: embedded %,.0f/s, through the server %,.0f/s", batch, own, served);
                }
                double bar = batch == 1 ? 0.25 : 0.5;
                double ratio = Median.of(ratios).orElseThrow();
                judge(ratio >= bar, "batches of %d: %.2f × embedded (bar %.2f)", batch, ratio, bar);
            }
        }
        Flow.pickUp(remote, "idle");
        double millis = Flow.pickUp(remote, "idle");
        judge(millis < 3, "idle pick-up p50 %.2f ms (bar 3)", millis);
        say("heap of the server after a collection: %.0f MiB", server.heap() / MIB);
    }

    /** Consumers that do nothing but wait, and ask again when they have waited for a minute. */
    private void waiting(MeasuredServer server) throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        List<WebSocket> sockets = new ArrayList<>();
        URI where = URI.create("ws://127.0.0.1:" + server.port() + Hello.PATH);
        for (int i = 0; i < CONSUMERS; i++) {
            sockets.add(http.newWebSocketBuilder()
                    .buildAsync(where, new WaitingConsumer("idle"))
                    .join());
        }
        TimeUnit.NANOSECONDS.sleep(SETTLE.toNanos());
        List<Double> shares = new ArrayList<>();
        for (int i = 0; i < WATCHES; i++) {
            Duration before = server.cpu();
            TimeUnit.NANOSECONDS.sleep(WATCH.toNanos());
            double share = 100.0 * server.cpu().minus(before).toNanos() / WATCH.toNanos();
            say("%,d waiting consumers: %.2f %% of a core in minute %d", CONSUMERS, share, i + 1);
            shares.add(share);
        }
        double share = Median.of(shares).orElseThrow();
        judge(share <= 1, "%,d waiting consumers: %.2f %% of a core (bar 1)", CONSUMERS, share);
        sockets.forEach(WebSocket::abort);
    }

    private void soak(MeasuredServer server, Leat remote) throws Exception {
        long atTwo = 0;
        for (int minute = 1; minute <= 10; minute++) {
            double rate = Flow.rate(remote, "soak", 100, Duration.ofSeconds(58));
            long heap = server.heap();
            say("minute %d: %,.0f/s, heap %.1f MiB", minute, rate, heap / MIB);
            atTwo = minute == 2 ? heap : atTwo;
            if (minute == 10) {
                judge(heap <= atTwo * 1.1, "heap at minute 10: %.2f × minute 2 (bar 1.1)", (double) heap / atTwo);
            }
        }
    }

    private void judge(boolean isMet, String text, Object... values) {
        say((isMet ? "PASS " : "FAIL ") + text, values);
        isAnyMissed |= !isMet;
    }

    private static void say(String text, Object... values) {
        System.out.println(String.format(Locale.ROOT, text, values));
    }
}
