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
 * Keeps out calls that their grant does not allow. Only grants for some queues cost a look at the tasks; a task that is not there
 * passes, since the call itself says so best.
 */
public final class QueueAccess {
    private final Leat leat;

    public QueueAccess(Leat leat) {
        this.leat = leat;
    }

    /** Checks what the path says: the role, the queue, the queue of the task. */
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

    /** Checks the queues of the tasks that are held. */
    void checkLeases(RestCall call, Stream<Lease> leases) {
        if (call.grant().isLimited()) {
            leases.map(Lease::taskId).distinct().forEach(id -> checkTask(call.grant(), Role.CONSUME, id));
        }
    }

    /**
     * Checks the queue of a task even if only its outcome is known any more. One that is not there is refused here: whoever went on could meet
     * a task that was put meanwhile, into any queue, and wait for its result.
     */
    void checkStanding(RestCall call, long id) {
        if (call.grant().isLimited()) {
            TaskStatus standing = leat.storage().statuses(Set.of(id)).get(id);
            if (standing instanceof TaskStatus.Lives lives) {
                call.grant().check(Role.PRODUCE, lives.queue());
            } else if (standing instanceof TaskStatus.Ended ended) {
                call.grant().check(Role.PRODUCE, ended.queue());
            } else {
                throw standing instanceof TaskStatus.Forgotten
                        ? new OutcomeForgottenException(id)
                        : new TaskNotFoundException(id);
            }
        }
    }

    private void checkTask(Grant grant, Role role, long id) {
        leat.peek(id).ifPresent(task -> grant.check(role, task.queue()));
    }
}
