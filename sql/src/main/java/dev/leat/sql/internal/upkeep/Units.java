package dev.leat.sql.internal.upkeep;

import dev.leat.sql.internal.work.UnitOfWork;
import java.util.function.Function;

/** Runs units of work and sends their notices after the commit. */
public interface Units {
    /** Runs an operation that may run twice. */
    <T> T writeAgain(Function<UnitOfWork, T> operation);
}
