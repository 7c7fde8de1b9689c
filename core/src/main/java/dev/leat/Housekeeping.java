package dev.leat;

/**
 * What was done because it was time.
 *
 * @param due tasks whose time had come
 * @param lost tasks whose holders had run out of time, or died
 * @param expired tasks that had waited for too long
 * @param purged finished tasks that were kept long enough; of a day that goes at once at most 100,000 are counted
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
