package dev.leat.sql.internal;

import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.error.EquivalentInDoubtException;
import dev.leat.error.PutOutcomeUnknownException;
import dev.leat.sql.internal.fast.FastPath;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.operation.Puts;
import dev.leat.storage.GroupPut;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Puts by the fast path, and the other puts as units of work. */
final class SqlPuts {
    private final UnitRunner units;
    private final @Nullable FastPath fastPath;

    SqlPuts(UnitRunner units, @Nullable FastPath fastPath) {
        this.units = units;
        this.fastPath = fastPath;
    }

    List<PutResult> put(List<NewTask> tasks) {
        Optional<List<PutResult>> fast = fastPath == null ? Optional.empty() : fastPath.put(tasks);
        return fast.isPresent() ? fast.get() : put(tasks, puts -> puts.put(tasks));
    }

    GroupPut putGroup(GroupSpec spec, List<NewTask> tasks) {
        return put(tasks, puts -> puts.putGroup(spec, tasks));
    }

    private <T> T put(List<NewTask> tasks, Function<Puts, T> put) {
        try {
            return units.write(unit -> put.apply(new Puts(unit)));
        } catch (Tx.Failure e) {
            if (e.trouble == Dialect.Trouble.WAITED_TOO_LONG && Puts.mayBeInDoubt(tasks)) {
                throw new EquivalentInDoubtException(e);
            }
            throw e.isInDoubt() ? new PutOutcomeUnknownException(e) : e;
        }
    }
}
