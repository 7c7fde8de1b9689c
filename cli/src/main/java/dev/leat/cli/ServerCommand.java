package dev.leat.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.Leat;
import dev.leat.server.LeatServer;
import dev.leat.server.ServerOptions;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code leat server}: serves a storage over HTTP. */
@Command(
        name = "server",
        description = "Serves the storage over HTTP to programs in any language, until Ctrl-C.",
        mixinStandardHelpOptions = true)
final class ServerCommand extends StorageCommand {
    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description = "The address to listen on (default: ${DEFAULT-VALUE}, which only this machine can reach).")
    private String host;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "8770",
            description = "The port; 0 takes a free one, which is printed (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--insecure",
            description =
                    "Listens on another address than the loopback one, though everybody who reaches it may do everything.")
    private boolean insecure;

    @Override
    int run(Leat leat, Output out) throws InterruptedException {
        ServerOptions options = ServerOptions.builder()
                .host(host)
                .port(port)
                .exposure(insecure ? ServerOptions.Exposure.INSECURE : ServerOptions.Exposure.LOOPBACK)
                .build();
        LeatServer server = LeatServer.start(leat, options);
        String url = "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + server.port();
        if (out.isJson()) {
            out.json(JsonNodeFactory.instance.objectNode().put("url", url).put("port", server.port()));
        } else {
            out.line("Leat serves " + leat.storage().name() + " on " + url + ". Ctrl-C stops.");
        }
        out.flush();
        CountDownLatch never = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            try (leat;
                                    server) {
                                err().println("Stopping.");
                                err().flush();
                            }
                        },
                        "leat-server-stop"));
        never.await();
        return 0;
    }
}
