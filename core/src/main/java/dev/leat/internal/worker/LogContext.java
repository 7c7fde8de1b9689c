package dev.leat.internal.worker;

import dev.leat.Task;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.slf4j.helpers.NOPMDCAdapter;

/** Sets queue, task and attempt in the diagnostic context of the log (MDC) while a handler runs. */
final class LogContext {
    static final String QUEUE = "leat.queue";
    static final String TASK = "leat.task";
    static final String ATTEMPT = "leat.attempt";

    private static final Restore NOTHING = () -> {};

    /** False for a log without MDC, which saves some of the microseconds that a handler costs. */
    private final boolean isKept = !(MDC.getMDCAdapter() instanceof NOPMDCAdapter);

    /** Restores the context from before. */
    interface Restore extends AutoCloseable {
        @Override
        void close();
    }

    /** Sets the context for tasks of one queue that run together on this thread. */
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
