package dev.leat.storagetests.model;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import org.jspecify.annotations.Nullable;

/** A group in the model. */
final class ModelGroup {
    long id;
    final GroupSpec spec;
    GroupInfo.State state = GroupInfo.State.OPEN;
    GroupInfo.State endsAs = GroupInfo.State.COMPLETED;
    /** Tasks of the group that were buried when the group ended, and kicked later. */
    int failedAndGone;

    @Nullable
    Row closing;

    ModelGroup(GroupSpec spec) {
        this.spec = spec;
    }
}
