package dev.leat.testkit.contract.model;

import dev.leat.queue.QueueOptions;

/** A queue in the model. */
final class Queue {
    final QueueOptions options;
    boolean paused;

    Queue(QueueOptions options) {
        this.options = options;
    }
}
