package dev.leat;

/**
 * Counts of the timed changes that a process has made.
 *
 * @param due tasks that became ready at their due time
 * @param lost tasks whose lease ended with a time limit or a session
 * @param expired tasks whose time to live was over
 * @param purged finished tasks that were removed; at most 100,000 are counted for each dropped partition
 */
public record Housekeeping(long due, long lost, long expired, long purged) {
    private static final Housekeeping NOTHING = new Housekeeping(0, 0, 0, 0);

    public static Housekeeping nothing() {
        return NOTHING;
    }

    public Housekeeping plus(Housekeeping more) {
        return new Housekeeping(due + more.due, lost + more.lost, expired + more.expired, purged + more.purged);
    }
}
