package dev.leat.storagetests.model;

import dev.leat.queue.QueueOptions;

/** A queue in the model. */
final class ModelQueue {
    final QueueOptions options;
    boolean paused;

    ModelQueue(QueueOptions options) {
        this.options = options;
    }
}
