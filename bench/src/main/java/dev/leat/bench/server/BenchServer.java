package dev.leat.bench.server;

import dev.leat.Leat;
import dev.leat.server.LeatServer;
import dev.leat.server.ServerOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;

/** The process with the server. It prints its port, and for each line it is sent how much heap is used after a collection. */
final class BenchServer {
    private BenchServer() {}

    /** @param args the storage's URL */
    public static void main(String[] args) throws IOException {
        try (Leat leat = Leat.open(args[0]);
                LeatServer server =
                        LeatServer.start(leat, ServerOptions.builder().port(0).build())) {
            System.out.println(server.port());
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while (in.readLine() != null) {
                System.gc();
                System.out.println(
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
            }
        }
    }
}
