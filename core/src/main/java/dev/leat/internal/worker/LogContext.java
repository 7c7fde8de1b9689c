package dev.leat.internal.worker;

import dev.leat.Task;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.slf4j.helpers.NOPMDCAdapter;

/** Says in the diagnostic context of the log (MDC) what a handler runs, while it does. */
final class LogContext {
    static final String QUEUE = "leat.queue";
    static final String TASK = "leat.task";
    static final String ATTEMPT = "leat.attempt";

    private static final Restore NOTHING = () -> {};

    /** A log without a context gets none: what a handler costs is counted in microseconds. */
    private final boolean isKept = !(MDC.getMDCAdapter() instanceof NOPMDCAdapter);

    /** Puts the context back as it was before. */
    interface Restore extends AutoCloseable {
        @Override
        void close();
    }

    /** Enters what is run together on this thread: tasks of one queue. */
    Restore enter(List<Execution> executions) {
        Execution first = executions.get(0);
        return isKept ? put(first.queue().name, executions.size() == 1 ? first.task() : null) : NOTHING;
    }

    private static Restore put(String queue, @Nullable Task task) {
        String queueBefore = MDC.get(QUEUE);
        String taskBefore = MDC.get(TASK);
        String attemptBefore = MDC.get(ATTEMPT);
        MDC.put(QUEUE, queue);
        set(TASK, task == null ? null : Long.toString(task.id()));
        set(ATTEMPT, task == null ? null : Integer.toString(task.attempts()));
        return () -> {
            set(QUEUE, queueBefore);
            set(TASK, taskBefore);
            set(ATTEMPT, attemptBefore);
        };
    }

    private static void set(String key, @Nullable String value) {
        if (value == null) {
            MDC.remove(key);
        } else {
            MDC.put(key, value);
        }
    }
}
