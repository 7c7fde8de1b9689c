package dev.leat.bench;

import dev.leat.NewTask;
import dev.leat.Payload;
import java.util.ArrayList;
import java.util.List;

/** The tasks that all cases work off. */
final class Work {
    static final String QUEUE = "bench";
    /** A queue that is always empty would flatter the heap. */
    static final int BACKLOG = 1_000;

    static final int BATCH = 100;
    private static final int PAYLOAD_BYTES = 100;

    private Work() {}

    static List<byte[]> payloads(int count) {
        List<byte[]> payloads = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            payloads.add(new byte[PAYLOAD_BYTES]);
        }
        return payloads;
    }

    static NewTask.Builder task() {
        return NewTask.to(QUEUE).payload(Payload.of(new byte[PAYLOAD_BYTES]));
    }

    static List<NewTask> tasks(int count) {
        List<NewTask> tasks = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            tasks.add(task().build());
        }
        return tasks;
    }

    static List<NewTask> tasksOf(String key, int count) {
        List<NewTask> tasks = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            tasks.add(task().key(key).build());
        }
        return tasks;
    }

    static void check(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException("The benchmark's own check failed: " + what);
        }
    }
}
