package dev.leat.storage;

/**
 * How often a task was taken, and how many deliveries count against its limits.
 *
 * @param attempts deliveries, except those that were given back
 * @param failures attempts that ended in fail or retry
 * @param losses attempts that ended without a settle
 * @param releases attempts that ended without a charge
 */
public record DeliveryCounts(int attempts, int failures, int losses, int releases) {
    public static final DeliveryCounts NONE = new DeliveryCounts(0, 0, 0, 0);

    private static final DeliveryCounts FIRST = new DeliveryCounts(1, 0, 0, 0);

    /** After one more take. The first takes of all tasks share one object. */
    public DeliveryCounts taken() {
        return this == NONE ? FIRST : new DeliveryCounts(attempts + 1, failures, losses, releases);
    }

    public DeliveryCounts charged(Transition.Charge charge) {
        return switch (charge) {
            case FAILURE -> new DeliveryCounts(attempts, failures + 1, losses, releases);
            case LOSS -> new DeliveryCounts(attempts, failures, losses + 1, releases);
            case RELEASE -> new DeliveryCounts(attempts, failures, losses, releases + 1);
            case UNDO_ATTEMPT -> new DeliveryCounts(attempts - 1, failures, losses, releases);
            case NOTHING -> this;
        };
    }

    /** After a kick: failures and losses start again, the attempts stay (rule 16). */
    public DeliveryCounts kicked() {
        return new DeliveryCounts(attempts, 0, 0, releases);
    }
}
