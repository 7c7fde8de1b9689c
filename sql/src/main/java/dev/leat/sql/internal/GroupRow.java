package dev.leat.sql.internal;

import dev.leat.GroupClosedException;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One group as one transaction sees and changes it. */
final class GroupRow {
    final long id;
    final String name;
    final GroupSpec.OnFailure onFailure;
    GroupInfo.State state;
    /** What a canceled group ends as. */
    GroupInfo.State endsAs;

    Optional<NewTask> end;
    Optional<NewTask> abort;
    /** The end or abort task that was put; 0 for none. */
    long closingTask;

    /** Whether it has tasks that are still to be let go or dropped, because it was started or canceled. */
    boolean moving;

    /** Why it was canceled. */
    @Nullable
    String reason;

    /** The group that this one is part of; 0 for none, and once it has ended. */
    long outerId;

    Hold hold = Hold.NONE;

    /** Who can change the group before the transaction is over. */
    enum Hold {
        /** Anybody. */
        NONE,
        /** Nobody. */
        SHARED,
        /** This transaction. */
        OWN
    }

    GroupRow(
            long id,
            String name,
            GroupSpec.OnFailure onFailure,
            GroupInfo.State state,
            GroupInfo.State endsAs,
            Optional<NewTask> end,
            Optional<NewTask> abort) {
        this.id = id;
        this.name = name;
        this.onFailure = onFailure;
        this.state = state;
        this.endsAs = endsAs;
        this.end = end;
        this.abort = abort;
    }

    boolean isHeld() {
        return hold != Hold.NONE;
    }

    boolean isOwned() {
        return hold == Hold.OWN;
    }

    /** Whether it ends once it has no work left. */
    boolean mayEnd() {
        return state == GroupInfo.State.STARTED || state == GroupInfo.State.CANCELING;
    }

    /** Whether tasks may still be put into it. */
    boolean isOpenForPuts() {
        return state == GroupInfo.State.OPEN || state == GroupInfo.State.STARTED;
    }

    GroupClosedException closed() {
        return new GroupClosedException(id + " '" + name + "'", state.name());
    }
}
