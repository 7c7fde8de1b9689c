package dev.leat.worker;

import java.util.List;

/**
 * Does the work of several tasks of one queue at once. Each task still ends by itself: those the handler does not settle
 * are acknowledged when it returns, and failed when it throws. A task whose payload cannot be read never reaches it.
 *
 * @param <T> what the payloads are read as
 */
@FunctionalInterface
public interface BatchHandler<T> {
    void handle(List<Item<T>> items) throws Exception;

    /** One task of a batch. */
    record Item<T>(T payload, RunningTask task) {}
}
