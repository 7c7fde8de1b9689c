package dev.leat.storage;

/** An ability that some storages have and others do not. A storage refuses calls that need an ability it lacks. */
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
