package dev.leat;

/** Hears of task changes made through this Leat, after they were committed. Called on the changing thread: be quick. */
@FunctionalInterface
public interface TaskListener {
    void changed(TaskEvent event);
}
