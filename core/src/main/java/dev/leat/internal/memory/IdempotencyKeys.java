package dev.leat.internal.memory;

import dev.leat.NewTask;
import dev.leat.error.IdempotencyKeyReusedException;
import dev.leat.storage.Remembered;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The idempotency keys of recent puts. Guarded by the storage's lock. */
final class IdempotencyKeys {
    /** Clients of a server put every task with a key: under load, only the keys of the last seconds are kept. */
    private static final int MAX_KEYS = 200_000;

    private record Key(String queue, String key) {}

    /** The id instead of the entry, which the retention may remove before. */
    private record Known(long id, Optional<String> fingerprint, Instant until) {}

    /** In the order of their puts, so the oldest are first. */
    private final Map<Key, Known> known = new LinkedHashMap<>();

    /** The id of the task that was put with the same key before; 0 for none. */
    long find(NewTask task, Instant now) {
        forgetOld(now);
        Known found = known.get(key(task));
        return found == null ? 0 : found.id;
    }

    /** Refuses a task whose key an earlier put, or an earlier task of this put, used with another fingerprint. */
    void check(List<NewTask> tasks, Instant now) {
        Map<Key, Optional<String>> ofThisPut = new HashMap<>(0);
        for (NewTask task : tasks) {
            if (task.fingerprint().isPresent()) {
                forgetOld(now);
                Known before = known.get(key(task));
                IdempotencyKeyReusedException.check(
                        task,
                        before != null
                                ? before.fingerprint
                                : ofThisPut.computeIfAbsent(key(task), key -> task.fingerprint()));
            }
        }
    }

    void remember(NewTask task, Entry entry, Instant now) {
        if (task.idempotencyKey().isPresent()) {
            known.put(key(task), new Known(entry.id, task.fingerprint(), now.plus(Remembered.IDEMPOTENCY_KEYS)));
        }
    }

    private void forgetOld(Instant now) {
        Iterator<Known> oldest = known.values().iterator();
        while (oldest.hasNext() && (!oldest.next().until.isAfter(now) || known.size() > MAX_KEYS)) {
            oldest.remove();
        }
    }

    private static Key key(NewTask task) {
        return new Key(task.queue(), task.idempotencyKey().orElseThrow());
    }
}
