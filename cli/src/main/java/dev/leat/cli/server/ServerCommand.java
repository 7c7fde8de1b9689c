package dev.leat.cli.server;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.Leat;
import dev.leat.cli.command.LongCommand;
import dev.leat.cli.command.NsjEnvironment;
import dev.leat.cli.console.Output;
import dev.leat.cli.logging.Logs;
import dev.leat.server.LeatServer;
import dev.leat.server.ServerOptions;
import dev.leat.storage.Storage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code leat server}: serves a storage over HTTP. */
@Command(
        name = "server",
        description = "Serves the storage over HTTP to programs in any language, until Ctrl-C.",
        mixinStandardHelpOptions = true)
public final class ServerCommand extends LongCommand {
    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description =
                    "The address to listen on (default: 127.0.0.1, which only this machine can reach; or SERVER_HOST beside the"
                            + " other variables of nsj-queue-lib).")
    private @Nullable String host;

    @Option(
            names = "--port",
            paramLabel = "N",
            description =
                    "The port; 0 takes a free one, which is printed (default: 8770; or NOTIFY_SERVICE_PORT beside the other"
                            + " variables of nsj-queue-lib).")
    private @Nullable Integer port;

    @Option(
            names = "--insecure",
            description =
                    "Listens on another address than the loopback one without tokens, though everybody who reaches it may do"
                            + " everything.")
    private boolean insecure;

    @Option(
            names = "--tokens",
            paramLabel = "FILE",
            description = "Asks everybody for one of the tokens that 'leat token' has written to this file.")
    private @Nullable Path tokens;

    @Option(names = "--tls-cert", paramLabel = "FILE", description = "The certificate for HTTPS, in PEM.")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "The key of the certificate, in PEM.")
    private @Nullable Path key;

    @Option(
            names = "--audit-log",
            paramLabel = "FILE",
            description =
                    "Adds a line of JSON to this file for everything that an operator does, and for who is refused.")
    private @Nullable Path auditLog;

    @Option(
            names = "--request-timeout",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "How long headers, and a body after them, may take to come (default: ${DEFAULT-VALUE}).")
    private Duration requestTimeout;

    @Option(
            names = "--heartbeat",
            paramLabel = "TIME",
            defaultValue = "10s",
            description = "How often WebSockets are pinged (default: ${DEFAULT-VALUE}).")
    private Duration heartbeat;

    @Option(
            names = "--missable-heartbeats",
            paramLabel = "N",
            defaultValue = "3",
            description = "How many pings may go unanswered before a WebSocket is closed (default: ${DEFAULT-VALUE}).")
    private int missableHeartbeats;

    /** A server sends its own signals and needs no other signal server. */
    @Override
    protected String storageUrl(NsjEnvironment environment) {
        return environment.databaseUrl();
    }

    @Override
    public Storage open(String url) {
        return LeatServer.measured(super.open(url));
    }

    @Override
    protected int run(Leat leat, Output out) throws InterruptedException {
        ServerOptions options = options();
        LeatServer server = LeatServer.start(leat, options);
        String url = (options.tls().isPresent() ? "https://" : "http://")
                + (options.host().contains(":") ? "[" + options.host() + "]" : options.host()) + ":" + server.port();
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
                            try (Logs logs = logs();
                                    leat;
                                    server) {
                                remark("Stopping.");
                            }
                        },
                        "leat-server-stop"));
        never.await();
        return 0;
    }

    private ServerOptions options() {
        ServerOptions.Builder options = ServerOptions.builder()
                .requestTimeout(requestTimeout)
                .heartbeat(heartbeat)
                .missableHeartbeats(missableHeartbeats)
                .exposure(insecure ? ServerOptions.Exposure.INSECURE : ServerOptions.Exposure.LOOPBACK);
        Optional<NsjEnvironment> environment = nsjEnvironment();
        Optional.ofNullable(host)
                .or(() -> environment.map(NsjEnvironment::serverHost))
                .ifPresent(options::host);
        Optional.ofNullable(port)
                .or(() -> environment.map(NsjEnvironment::serverPort))
                .ifPresent(options::port);
        if (tokens != null) {
            options.tokens(tokens);
        }
        if (auditLog != null) {
            options.auditLog(auditLog);
        }
        if (certificate != null && key != null) {
            options.tls(certificate, key);
        } else if (certificate != null || key != null) {
            throw wrong("--tls-cert and --tls-key go together");
        }
        return options.build();
    }
}
