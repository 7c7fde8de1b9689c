package dev.leat.storage;

import dev.leat.GroupInfo;
import dev.leat.PutResult;
import java.util.List;

/**
 * A group that was made, filled and started in one transaction.
 *
 * @param tasks the results, in the order of the tasks
 */
public record GroupPut(GroupInfo group, List<PutResult> tasks) {}
