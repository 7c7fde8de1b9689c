package dev.leat.internal.memory;

import dev.leat.Registration;
import dev.leat.storage.Notice;
import dev.leat.storage.Signal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Sends notices to listeners in this process, on the sender's thread. No notice is lost, so listeners need not poll. */
final class InProcessSignal implements Signal {
    private final List<Consumer<Notice>> listeners = new CopyOnWriteArrayList<>();

    @Override
    public void send(Notice notice) {
        for (Consumer<Notice> listener : listeners) {
            listener.accept(notice);
        }
    }

    @Override
    public Registration listen(Consumer<Notice> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public Duration missInterval() {
        return Duration.ofDays(1);
    }
}
