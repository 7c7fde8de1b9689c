package dev.leat.storage;

/** What not every engine can do. Asking for what is missing is refused with a clear error. */
public enum Capability {
    /** {@code leat.with(connection)}: puts join the caller's transaction. */
    CALLER_TRANSACTION,
    /** {@link Storage#begin}: a handler's effects and the settle of its task are one transaction. */
    HANDLER_TRANSACTION,
    /** Tasks survive a restart of the process. */
    DURABLE,
    /** Other processes can use the same tasks. */
    SHARED
}
