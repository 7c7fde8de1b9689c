/**
 * The macro benchmark: Leat and other task queues on the same ephemeral PostgreSQL, in the same run.
 *
 * <p>{@link dev.leat.bench.sql.SqlBench} runs every {@link dev.leat.bench.sql.Workload} in rounds. In a round each
 * {@link dev.leat.bench.sql.Peer} has one {@link dev.leat.bench.sql.Turn}, one after the other, with an empty database
 * each; a contender is a {@link dev.leat.bench.sql.ContenderProcess} that lives through all rounds of a workload. What
 * they measure goes to {@link dev.leat.bench.sql.Results}, and a {@link dev.leat.bench.sql.Bar} is met or missed by the
 * medians there. Leat of {@link dev.leat.bench.sql.OtherCommit} takes part like a peer, and a
 * {@link dev.leat.bench.sql.Comparison} puts it beside Leat.
 */
@NullMarked
package dev.leat.bench.sql;

import org.jspecify.annotations.NullMarked;
