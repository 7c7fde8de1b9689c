package dev.leat.sql.internal.peers;

import dev.leat.error.InvalidRequestException;
import dev.leat.storage.Lock;
import dev.leat.storage.Signal;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;

/**
 * A Leat server that carries notices between the processes that use a database, and keeps their locks. It connects by itself, now or
 * later, and again when it was lost.
 */
public final class SignalServer implements AutoCloseable {
    private final Storage server;

    private SignalServer(Storage server) {
        this.server = server;
    }

    /** Does not wait for the server, which may come later. */
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

    public Signal signal() {
        return server.signal();
    }

    public Lock lock() {
        return server.lock();
    }

    @Override
    public void close() {
        server.close();
    }
}
