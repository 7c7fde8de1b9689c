package dev.leat;

/**
 * The result of one put.
 *
 * @param id the new task, or the existing task with the same address or idempotency key, or an equivalent one
 * @param created whether the put made the task
 * @param state the state of the task
 */
public record PutResult(long id, boolean created, TaskState state) {}
