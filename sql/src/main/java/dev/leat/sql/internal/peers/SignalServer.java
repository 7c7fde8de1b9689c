package dev.leat.sql.internal.peers;

import dev.leat.error.InvalidRequestException;
import dev.leat.storage.Lock;
import dev.leat.storage.Notice;
import dev.leat.storage.Signal;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import java.util.List;
import java.util.Optional;

/**
 * A Leat server that carries notices between the processes of a database, and keeps their locks. The connection opens in the
 * background and is reopened when it breaks.
 */
public final class SignalServer implements Notifier.Transport, AutoCloseable {
    private final Storage server;

    private SignalServer(Storage server) {
        this.server = server;
    }

    /** Does not wait for the server, which may start later. */
    public static SignalServer open(String url) {
        if (!url.startsWith("http://") && !url.startsWith("https://")) {
            throw new InvalidRequestException("signals", "must be the URL of a Leat server, such as http://host:8770");
        }
        try {
            return new SignalServer(Storages.open(url, StorageSettings.standard()));
        } catch (InvalidRequestException e) {
            throw new InvalidRequestException("signals", "cannot be used: " + e.getMessage(), e);
        }
    }

    Signal signal() {
        return server.signal();
    }

    public Lock lock() {
        return server.lock();
    }

    /** Does not wait for the server. The server sends each notice back to this process, which costs one take in vain. */
    @Override
    public void send(List<PeerMessage> messages) {
        messages.stream()
                .flatMap(message -> notice(message).stream())
                .distinct()
                .forEach(server.signal()::send);
    }

    /** Empty for news of single tasks, which the server would send to all its clients; waiters of a task poll instead. */
    private static Optional<Notice> notice(PeerMessage message) {
        if (message instanceof PeerMessage.FreshRows fresh) {
            return Optional.of(new Notice.Ready(fresh.queue()));
        }
        return message instanceof PeerMessage.OfNotice of && !(of.notice() instanceof Notice.TaskNews)
                ? Optional.of(of.notice())
                : Optional.empty();
    }

    @Override
    public void close() {
        server.close();
    }
}
