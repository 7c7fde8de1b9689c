package dev.leat.sql.internal.peers;

import dev.leat.Registration;
import dev.leat.storage.Notice;
import dev.leat.storage.Signal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Tells listeners in this process, on the sender's thread; {@link Peers} tell what other processes do. */
public final class SqlSignal implements Signal {
    private final List<Consumer<Notice>> listeners = new CopyOnWriteArrayList<>();
    private final Duration missInterval;
    private final Runnable listened;

    /** @param listened called when somebody listens */
    public SqlSignal(Duration missInterval, Runnable listened) {
        this.missInterval = missInterval;
        this.listened = listened;
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
        listened.run();
        return () -> listeners.remove(listener);
    }

    public boolean isAnybodyListening() {
        return !listeners.isEmpty();
    }

    @Override
    public Duration missInterval() {
        return missInterval;
    }
}
