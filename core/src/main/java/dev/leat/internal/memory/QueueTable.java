package dev.leat.internal.memory;

import dev.leat.Queue;
import dev.leat.error.QueueNotFoundException;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** All queues by name. Guarded by the storage's lock. */
final class QueueTable {
    private final Map<String, MemoryQueue> queues = new TreeMap<>();
    private final RandomGenerator random;

    QueueTable(RandomGenerator random) {
        this.random = random;
    }

    MemoryQueue add(String name, QueueOptions options, QueueInfo.SetBy setBy) {
        MemoryQueue queue = new MemoryQueue(Queue.checkName(name), options, setBy, random);
        queues.put(name, queue);
        return queue;
    }

    void remove(String name) {
        queues.remove(name);
    }

    @Nullable
    MemoryQueue get(String name) {
        return queues.get(name);
    }

    MemoryQueue find(String name) {
        MemoryQueue found = queues.get(name);
        if (found == null) {
            throw new QueueNotFoundException(name);
        }
        return found;
    }

    /** In the order of their names. */
    Collection<MemoryQueue> all() {
        return queues.values();
    }
}
