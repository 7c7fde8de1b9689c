package dev.leat.internal.memory;

import dev.leat.NewTask;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The idempotency keys of recent puts. Guarded by the storage's lock. */
final class IdempotencyKeys {
    private static final Duration KNOWN_FOR = Duration.ofMinutes(10);

    private record Key(String queue, String key) {}

    private record Known(Entry entry, Instant until) {}

    /** In the order of their puts, so the oldest are first. */
    private final Map<Key, Known> known = new LinkedHashMap<>();

    /** The task that was put with the same key before. */
    @Nullable
    Entry find(NewTask task, Instant now) {
        forgetOld(now);
        Known found = known.get(key(task));
        return found == null ? null : found.entry;
    }

    void remember(NewTask task, Entry entry, Instant now) {
        if (task.idempotencyKey().isPresent()) {
            known.put(key(task), new Known(entry, now.plus(KNOWN_FOR)));
        }
    }

    private void forgetOld(Instant now) {
        Iterator<Known> oldest = known.values().iterator();
        while (oldest.hasNext() && !oldest.next().until.isAfter(now)) {
            oldest.remove();
        }
    }

    private static Key key(NewTask task) {
        return new Key(task.queue(), task.idempotencyKey().orElseThrow());
    }
}
