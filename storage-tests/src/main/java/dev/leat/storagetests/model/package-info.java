/**
 * The storage contract as a property: after any calls in any order, a storage and a model of the storage agree.
 *
 * <p>{@link dev.leat.storagetests.model.ReferenceModel} is the specification as code: plain rows in a list, scanned
 * linearly, written from the rules and from nothing else. The model has no index, no timer and no optimization, so that
 * a reader can compare it with the rules line by line. {@link dev.leat.storagetests.model.Operation} names what can be done to a
 * storage; its arguments are small numbers ("the second held lease", "key 1") rather than ids, so that a failing
 * sequence stays meaningful while {@link dev.leat.storagetests.model.Shrinking} cuts operations out of it. {@link dev.leat.storagetests.model.Trial} does
 * one sequence to both and compares after every step all that can be seen: every field of every task, its attempts and
 * outcome, the counts, the groups, who has which address, and when time matters next.
 *
 * <p>What the rules leave open is left open here: the model takes ids and leases from the storage, does not know the
 * storage's own words, and gives up on a sequence where two changes are due in one sweep and their order would show.
 *
 * <p>When a storage disagrees, first ask the rules which side is wrong. The report's sequence is short; replay it by
 * hand with a {@link dev.leat.storagetests.model.Trial}.
 */
@NullMarked
package dev.leat.storagetests.model;

import org.jspecify.annotations.NullMarked;
