package dev.leat.sql.internal.upkeep;

import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.work.UnitOfWork;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * What groups need after a commit and in each sweep: their tasks move on, followers of ended tasks go on, groups without work end, and rows of
 * counts are added up. Safe from any thread.
 */
public final class GroupUpkeep {
    private static final long LOOK_FOR_FORGOTTEN_EVERY = Times.micros(Duration.ofSeconds(20));
    /** Interval for re-checking groups that are locked by another transaction. */
    private static final long LOOK_AT_HELD_EVERY = Times.micros(Duration.ofMillis(500));

    /** Hears of the units of work that the upkeep commits. */
    public interface Listener {
        /** A unit has moved tasks of groups: its notices have to be sent, and its groups may need more. */
        void committed(UnitOfWork unit);

        /** A unit has ended groups or let tasks go on: its notices have to be sent. */
        void tell(UnitOfWork unit);

        /** The sweeper of this process has more to do. */
        void wakeSweeper();
    }

    private final Listener listener;
    private final GroupMoves moves;
    private final GroupEnds ends;
    private final GroupFolds folds;
    private final Followers followers;

    private volatile long lastLookForForgotten;

    public GroupUpkeep(Db db, QueueCache cache, Listener listener) {
        this.listener = listener;
        this.moves = new GroupMoves(db, cache, listener::committed);
        this.ends = new GroupEnds(db, cache, listener::tell);
        this.folds = new GroupFolds(db);
        this.followers = new Followers(db, cache, this::followed);
    }

    private void followed(UnitOfWork unit) {
        listener.tell(unit);
        if (ends.lookAt(unit.groups.maybeOver()).isMore()) {
            listener.wakeSweeper();
        }
    }

    /** Goes on with the groups that a committed unit concerns. */
    public void goOn(UnitOfWork unit) {
        boolean isMore = moves.goOn(unit.groups.begun());
        GroupEnds.Found found = ends.lookAt(unit.groups.maybeOver());
        isMore |= followers.lookAfter(unit, found.waitedIn());
        if (found.isMore() || isMore) {
            listener.wakeSweeper();
        }
    }

    /** Keeps in mind that a committed unit has appended rows of counts. */
    public void countRows(UnitOfWork unit) {
        folds.appended(unit.groups.counts.appended());
    }

    /** Lets the sweeps look at tasks of a caller's transaction, which nobody sees before the caller's commit. */
    public void lookLater(Map<Long, Set<Long>> tasksByGroup) {
        followers.later(tasksByGroup);
    }

    void sweep(int limit, long now) {
        ends.lookAgain();
        // The distance, not the difference: the clock may have been set back.
        if (Math.abs(now - lastLookForForgotten) >= LOOK_FOR_FORGOTTEN_EVERY) {
            lastLookForForgotten = now;
            moves.lookForForgotten();
            followers.beginRound();
            ends.lookAtForgotten();
        }
        moves.goOn(limit);
        followers.sweep();
        folds.fold();
    }

    /** Whether a sweep can go on at once. */
    boolean isAnyFree() {
        return moves.isAnyLeft() && !moves.isHeld();
    }

    /** When the next sweep has to look at groups; {@link Long#MAX_VALUE} for never. */
    long nextLook(long now) {
        boolean isAnyLeft = ends.isAnyHeld() || moves.isAnyLeft() || followers.isAnyUnseen();
        return isAnyLeft ? now + LOOK_AT_HELD_EVERY : Long.MAX_VALUE;
    }
}
