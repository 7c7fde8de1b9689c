package dev.leat.server;

import java.util.Locale;

/** A permission of a token. A token has one or more roles. */
public enum Role {
    /** Puts tasks. */
    PRODUCE,
    /** Takes tasks, holds them and settles them. */
    CONSUME,
    /** Looks at queues and tasks, stops and starts queues, moves and ends tasks. */
    OPERATE,
    /** Makes, changes, empties and removes queues, and may do all that the others may. */
    ADMIN;

    /** Whether this role includes another. */
    public boolean allows(Role needed) {
        return this == needed || this == ADMIN;
    }

    /** The name in files and messages. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
