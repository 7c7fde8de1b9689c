package dev.leat.sql.internal.row;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.error.GroupClosedException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One group as one transaction sees and changes it. */
public final class GroupRow {
    public final long id;
    public final String name;
    public final GroupSpec.OnFailure onFailure;
    public GroupInfo.State state;
    /** What a canceled group ends as. */
    public GroupInfo.State endsAs;

    public Optional<NewTask> end;
    public Optional<NewTask> abort;
    /** The end or abort task that was put; 0 for none. */
    public long closingTask;

    /** Whether it has tasks that are still to be let go or dropped, because it was started or canceled. */
    public boolean moving;

    /** Why it was canceled. */
    @Nullable
    public String reason;

    /** The group that this one is part of; 0 for none, and once it has ended. */
    public long outerId;

    public Hold hold = Hold.NONE;

    /** Who can change the group before the transaction is over. */
    public enum Hold {
        /** Anybody. */
        NONE,
        /** Nobody. */
        SHARED,
        /** This transaction. */
        OWN
    }

    public GroupRow(
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

    public boolean isHeld() {
        return hold != Hold.NONE;
    }

    public boolean isOwned() {
        return hold == Hold.OWN;
    }

    /** Whether it ends once it has no work left. */
    public boolean mayEnd() {
        return state == GroupInfo.State.STARTED || state == GroupInfo.State.CANCELING;
    }

    /** Whether tasks may still be put into it. */
    public boolean isOpenForPuts() {
        return state == GroupInfo.State.OPEN || state == GroupInfo.State.STARTED;
    }

    public GroupClosedException closed() {
        return new GroupClosedException(id + " '" + name + "'", state.name());
    }
}
