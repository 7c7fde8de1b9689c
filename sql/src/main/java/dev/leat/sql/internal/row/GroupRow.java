package dev.leat.sql.internal.row;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.storage.GroupRules;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A group as one transaction reads and changes it. */
public final class GroupRow {
    public final long id;
    public final String name;
    public final GroupSpec.OnFailure onFailure;
    public GroupInfo.State state;
    /** The final state of the group if it is canceled. */
    public GroupInfo.State endsAs;

    public Optional<NewTask> end;
    public Optional<NewTask> abort;
    /** The end or abort task that was put; 0 for none. */
    public long closingTask;

    /** Whether the group was started or canceled, and has tasks that were not moved yet. */
    public boolean moving;

    /** Why the group was canceled. */
    @Nullable
    public String reason;

    /** The outer group; 0 for none, and after the end of this group. */
    public long outerId;

    public Hold hold = Hold.NONE;

    /** The lock that the transaction has on the row. */
    public enum Hold {
        /** Other transactions can change the group. */
        NONE,
        /** No transaction can change the group. */
        SHARED,
        /** Only this transaction can change the group. */
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

    public boolean mayEnd() {
        return GroupRules.mayEnd(state);
    }

    public boolean takesTasks() {
        return GroupRules.takesTasks(state);
    }
}
