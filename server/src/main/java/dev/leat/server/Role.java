package dev.leat.server;

import java.util.Locale;

/** What the holder of a token may do. A token has one of them or several. */
public enum Role {
    /** Puts tasks. */
    PRODUCE,
    /** Takes tasks, holds them and settles them. */
    CONSUME,
    /** Looks at queues and tasks, stops and starts queues, moves and ends tasks. */
    OPERATE,
    /** Makes, changes, empties and removes queues, and may do all that the others may. */
    ADMIN;

    /** Whether who has this role may do what needs another. */
    public boolean allows(Role needed) {
        return this == needed || this == ADMIN;
    }

    /** As people write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
