package dev.leat;

/** Receives task changes made through this Leat, after their commit. It runs on the thread that made the change, so it must be quick. */
@FunctionalInterface
public interface TaskListener {
    void changed(TaskEvent event);
}
