package dev.leat.queue;

/**
 * A queue as it is configured.
 *
 * @param name its name
 * @param options its options
 * @param paused whether takes get nothing for now
 * @param setBy who set the options last; code never overrules an operator
 */
public record QueueInfo(String name, QueueOptions options, boolean paused, SetBy setBy) {
    /** Whose word the options are. */
    public enum SetBy {
        CODE,
        OPERATOR
    }
}
