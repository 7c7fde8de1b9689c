package dev.leat;

import dev.leat.error.GroupNotFoundException;
import dev.leat.internal.HandlerThread;
import dev.leat.storage.Storage;
import java.time.Duration;
import java.util.Optional;

/** A handle on one group. Put its tasks with {@link NewTask.Builder#group}, then start the group. */
public final class Group {
    private static final long FIRST_PAUSE_MILLIS = 5;
    private static final long LONGEST_PAUSE_MILLIS = 500;

    private final long id;
    private final Storage storage;

    Group(long id, Storage storage) {
        this.id = id;
        this.storage = storage;
    }

    public long id() {
        return id;
    }

    public GroupInfo info() {
        return storage.groups().find(id).orElseThrow(() -> new GroupNotFoundException(Long.toString(id)));
    }

    /**
     * Waits up to {@code timeout} until the group has ended, and returns its state. It polls the storage with growing pauses of up to half a
     * second; use the group's end task for work that must follow at once. A handler that waits lends its slot to other tasks.
     */
    public GroupInfo awaitEnd(Duration timeout) throws InterruptedException {
        GroupInfo info = info();
        return info.state().isEnded() ? info : HandlerThread.lendSlotDuring(() -> pollUntilEnd(info, timeout));
    }

    private GroupInfo pollUntilEnd(GroupInfo first, Duration timeout) throws InterruptedException {
        long start = System.nanoTime();
        long pause = FIRST_PAUSE_MILLIS;
        GroupInfo info = first;
        long left = timeout.toMillis();
        while (!info.state().isEnded() && left > 0) {
            Thread.sleep(Math.min(pause, left));
            pause = Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
            info = info();
            left = timeout.toMillis() - (System.nanoTime() - start) / 1_000_000;
        }
        return info;
    }

    /** Changes the closing tasks of the group. */
    public GroupInfo closingTasks(Optional<NewTask> end, Optional<NewTask> abort) {
        return storage.groups().setTasks(id, end, abort);
    }

    /** Lets the tasks of the group run. A started group without tasks ends at once, so put the tasks first. */
    public GroupInfo start() {
        return storage.groups().start(id);
    }

    /** Drops the unstarted tasks, lets running tasks end, then puts the abort task. */
    public GroupInfo cancel(String reason) {
        return storage.groups().cancel(id, reason);
    }
}
