package dev.leat.server.internal.rest;

import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.error.OutcomeForgottenException;
import dev.leat.error.TaskNotFoundException;
import dev.leat.server.Role;
import dev.leat.server.internal.access.Grant;
import dev.leat.storage.TaskStatus;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Refuses calls that the grant does not allow. Only grants for some queues cost a look at the tasks. A call for an unknown task passes,
 * and fails later with its own error.
 */
public final class QueueAccess {
    private final Leat leat;

    public QueueAccess(Leat leat) {
        this.leat = leat;
    }

    /** Checks the role, the queue in the path, and the queue of the task in the path. */
    public void check(Route route, RestCall call) {
        route.role().ifPresent(role -> {
            call.grant().check(role);
            if (call.path().containsKey("queue")) {
                call.grant().check(role, call.path("queue"));
            }
            if (call.path().containsKey("id") && call.grant().isLimited()) {
                checkTask(call.grant(), role, call.id());
            }
        });
    }

    /** Checks the queues of the leased tasks. */
    void checkLeases(RestCall call, Stream<Lease> leases) {
        if (call.grant().isLimited()) {
            leases.map(Lease::taskId).distinct().forEach(id -> checkTask(call.grant(), Role.CONSUME, id));
        }
    }

    /**
     * Checks the queue of a task, also when the storage knows only its outcome. An unknown task is refused here: otherwise the caller could
     * wait for a task that is put meanwhile, in any queue.
     */
    void checkStatus(RestCall call, long id) {
        if (call.grant().isLimited()) {
            TaskStatus status = leat.storage().statuses(Set.of(id)).get(id);
            if (status instanceof TaskStatus.Lives lives) {
                call.grant().check(Role.PRODUCE, lives.queue());
            } else if (status instanceof TaskStatus.Ended ended) {
                call.grant().check(Role.PRODUCE, ended.queue());
            } else {
                throw status instanceof TaskStatus.Forgotten
                        ? new OutcomeForgottenException(id)
                        : new TaskNotFoundException(id);
            }
        }
    }

    private void checkTask(Grant grant, Role role, long id) {
        leat.peek(id).ifPresent(task -> grant.check(role, task.queue()));
    }
}
