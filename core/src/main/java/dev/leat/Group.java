package dev.leat;

import dev.leat.error.GroupNotFoundException;
import dev.leat.internal.HandlerThread;
import dev.leat.storage.Storage;
import java.time.Duration;
import java.util.Optional;

/** A handle on one group: put tasks with {@link NewTask.Builder#group}, then start it. */
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
     * Waits until the group has ended, at most for {@code timeout}, and answers how it is then. The storage is asked again and again, at
     * most half a second apart; what has to follow at once is better the group's end task. While a handler waits, the group's tasks can
     * have its place.
     */
    public GroupInfo awaitEnd(Duration timeout) throws InterruptedException {
        GroupInfo info = info();
        return info.state().isEnded() ? info : HandlerThread.lendSlotDuring(() -> lookUntilEnd(info, timeout));
    }

    private GroupInfo lookUntilEnd(GroupInfo first, Duration timeout) throws InterruptedException {
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

    /** Changes what is put when the group has ended. */
    public GroupInfo closingTasks(Optional<NewTask> end, Optional<NewTask> abort) {
        return storage.groups().setTasks(id, end, abort);
    }

    /** Lets its tasks run. Start only when an empty group means a finished one. */
    public GroupInfo start() {
        return storage.groups().start(id);
    }

    /** Drops what does not run yet, lets the rest end and ignores its outcome, then puts the abort task. */
    public GroupInfo cancel(String reason) {
        return storage.groups().cancel(id, reason);
    }
}
