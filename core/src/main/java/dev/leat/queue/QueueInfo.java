package dev.leat.queue;

/**
 * A queue and its options.
 *
 * @param name its name
 * @param options its options
 * @param paused whether takes get nothing
 * @param setBy whether code or an operator set the options last; code never overrules an operator
 */
public record QueueInfo(String name, QueueOptions options, boolean paused, SetBy setBy) {
    /** Who set the options. */
    public enum SetBy {
        CODE,
        OPERATOR
    }
}
