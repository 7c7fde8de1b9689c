package dev.leat.sql.internal.peers;

import dev.leat.Registration;
import dev.leat.storage.Notice;
import dev.leat.storage.Signal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Carries notices to the listeners of this process, on the sender's thread. {@link Peers} carry them to other processes. */
public final class SqlSignal implements Signal {
    private final List<Consumer<Notice>> listeners = new CopyOnWriteArrayList<>();
    private final Duration missInterval;
    private final Runnable onListen;

    /** @param onListen runs after each new listener is registered */
    public SqlSignal(Duration missInterval, Runnable onListen) {
        this.missInterval = missInterval;
        this.onListen = onListen;
    }

    @Override
    public void send(Notice notice) {
        for (Consumer<Notice> listener : listeners) {
            listener.accept(notice);
        }
    }

    @Override
    public Registration listen(Consumer<Notice> listener) {
        listeners.add(listener);
        onListen.run();
        return () -> listeners.remove(listener);
    }

    public boolean hasListeners() {
        return !listeners.isEmpty();
    }

    @Override
    public Duration missInterval() {
        return missInterval;
    }
}
