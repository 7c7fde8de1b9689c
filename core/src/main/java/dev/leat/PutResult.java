package dev.leat;

/**
 * What became of one put.
 *
 * @param id the new task, or the one that already has the address or idempotency key, or does the same
 * @param created whether a task was made; false means the one named by {@code id} was there before
 * @param state the state of that task
 */
public record PutResult(long id, boolean created, TaskState state) {}
