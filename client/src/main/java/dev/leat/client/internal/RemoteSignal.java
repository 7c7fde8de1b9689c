package dev.leat.client.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Registration;
import dev.leat.storage.Notice;
import dev.leat.storage.Signal;
import dev.leat.wire.Cbor;
import dev.leat.wire.Op;
import dev.leat.wire.SessionMessages;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries notices from the server and to the server. */
final class RemoteSignal implements Signal {
    private static final Logger log = LoggerFactory.getLogger(RemoteSignal.class);

    private final Link link;
    private final List<Consumer<Notice>> listeners = new CopyOnWriteArrayList<>();

    RemoteSignal(Link link) {
        this.link = link;
    }

    /** Drops notices while no connection is open: they would pile up and arrive too late. */
    @Override
    public void send(Notice notice) {
        if (!link.isConnected()) {
            return;
        }
        ObjectNode map = Cbor.map();
        SessionMessages.put(map, notice);
        link.begin(Op.NOTIFY, map);
    }

    @Override
    public Registration listen(Consumer<Notice> listener) {
        Consumer<Notice> own = listener::accept;
        listeners.add(own);
        return () -> listeners.remove(own);
    }

    /** The interval of the storage behind the server; one second before the first connection. */
    @Override
    public Duration missInterval() {
        return link.missInterval();
    }

    void hear(Notice notice) {
        for (Consumer<Notice> listener : listeners) {
            try {
                listener.accept(notice);
            } catch (RuntimeException e) {
                log.warn("A listener failed on {}", notice, e);
            }
        }
    }
}
