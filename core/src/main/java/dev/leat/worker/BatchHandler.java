package dev.leat.worker;

import java.util.List;

/**
 * Does the work of several tasks of one queue in one call. Each task ends by itself: the worker acks the unsettled tasks when the handler returns,
 * and fails them when it throws. A task with an unreadable payload fails before the call.
 *
 * @param <T> the class that the payloads are read as
 */
@FunctionalInterface
public interface BatchHandler<T> {
    void handle(List<Item<T>> items) throws Exception;

    /** One task of a batch. */
    record Item<T>(T payload, RunningTask task) {}
}
