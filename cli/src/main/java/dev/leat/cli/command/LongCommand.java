package dev.leat.cli.command;

import dev.leat.cli.logging.Logs;
import dev.leat.storage.StorageSettings;
import java.util.Optional;
import picocli.CommandLine.Option;

/** A command that runs until it is stopped, and therefore has options for its log. */
public abstract class LongCommand extends StorageCommand {
    @Option(
            names = "--log-format",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description =
                    "How the log is written to standard error: text, or json, an object on each line (default: ${DEFAULT-VALUE})."
                            + " LEAT_LOG says how much of it; GRAFANA_URL, where a Loki is that gets it too.")
    private Logs.Format format;

    private final Logs logs = new Logs();

    @Override
    public StorageSettings.IfMissing ifMissing() {
        return StorageSettings.IfMissing.CREATE;
    }

    @Override
    public final Integer call() throws Exception {
        try (logs) {
            Optional<NsjEnvironment> environment = nsjEnvironment();
            Optional<String> loki = Optional.ofNullable(System.getenv("GRAFANA_URL"));
            logs.start(format, name(), loki.filter(url -> !url.isBlank()), environment.map(NsjEnvironment::stage));
            if (environment.map(NsjEnvironment::isDebugging).orElse(false)) {
                logs.tellMore();
            }
            return super.call();
        }
    }

    /** To be closed last when the process is stopped. */
    protected final Logs logs() {
        return logs;
    }

    /** For remarks, unless standard error is for JSON alone. */
    protected final void remark(String text) {
        if (format == Logs.Format.TEXT) {
            err().println(text);
            err().flush();
        }
    }
}
