/**
 * Programs to begin with, each in one file. The workers among them are {@link dev.leat.worker.WorkerProgram}s too, so that
 * {@code leat worker} runs them on any storage.
 */
@NullMarked
package dev.leat.examples;

import org.jspecify.annotations.NullMarked;
