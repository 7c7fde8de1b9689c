/**
 * What Leat promises about speed, measured, and about safety, provoked.
 *
 * <ul>
 *   <li>{@link dev.leat.bench.MemoryBench} measures the memory storage and the worker runtime against a plain locked heap;
 *   <li>{@link dev.leat.bench.MemoryStorageJmh} does the same for the storage alone, with JMH;
 *   <li>{@code dev.leat.bench.sql} measures Leat and its peers on PostgreSQL;
 *   <li>{@link dev.leat.bench.Mutants} breaks one guard of core at a time and looks whether a test notices.
 * </ul>
 */
@NullMarked
package dev.leat.bench;

import org.jspecify.annotations.NullMarked;
