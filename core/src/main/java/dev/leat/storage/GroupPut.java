package dev.leat.storage;

import dev.leat.GroupInfo;
import dev.leat.PutResult;
import java.util.List;

/**
 * A group that was made, filled and started in one step.
 *
 * @param tasks in the order in which they were given
 */
public record GroupPut(GroupInfo group, List<PutResult> tasks) {}
