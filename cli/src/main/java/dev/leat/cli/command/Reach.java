package dev.leat.cli.command;

import dev.leat.webhook.WebhookSender;
import java.util.List;
import picocli.CommandLine.Option;

/** Which addresses webhooks may go to. */
public final class Reach {
    @Option(
            names = "--allow-network",
            paramLabel = "NETWORK",
            description =
                    "Lets URLs lead into this network of yours, such as 10.20.0.0/16; may be given several times.")
    private List<String> networks = List.of();

    @Option(
            names = "--allow-host",
            paramLabel = "HOST",
            description = "Lets URLs name this host, whatever its address; may be given several times.")
    private List<String> hosts = List.of();

    public WebhookSender sender() {
        WebhookSender.Builder sender = WebhookSender.builder();
        networks.forEach(sender::allowNetwork);
        hosts.forEach(sender::allowHost);
        return sender.build();
    }
}
