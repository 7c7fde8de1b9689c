package dev.leat;

import dev.leat.storage.Storage;
import java.util.Optional;

/** A handle on one group: put tasks with {@link NewTask.Builder#group}, then start it. */
public final class Group {
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
        return storage.group(id).orElseThrow(() -> new GroupNotFoundException(Long.toString(id)));
    }

    /** Changes what is put when the group has ended. */
    public GroupInfo closingTasks(Optional<NewTask> end, Optional<NewTask> abort) {
        return storage.setGroupTasks(id, end, abort);
    }

    /** Lets its tasks run. Start only when an empty group means a finished one. */
    public GroupInfo start() {
        return storage.startGroup(id);
    }

    /** Drops what does not run yet, lets the rest end and ignores its outcome, then puts the abort task. */
    public GroupInfo cancel(String reason) {
        return storage.cancelGroup(id, reason);
    }
}
