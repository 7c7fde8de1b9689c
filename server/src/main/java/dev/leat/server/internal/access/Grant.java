package dev.leat.server.internal.access;

import dev.leat.error.AccessDeniedException;
import dev.leat.server.Role;
import dev.leat.server.TokenEntry;
import java.util.List;
import java.util.Set;

/**
 * The permissions of a caller.
 *
 * @param name the name of the token, for people and the audit log
 * @param roles the roles of the token
 * @param queues the queues of the token; empty for all queues
 */
public record Grant(String name, Set<Role> roles, List<QueuePattern> queues) {
    /** The name of a caller without a token. */
    public static final String NOBODY = "anonymous";

    private static final Grant ALL = new Grant(NOBODY, Set.of(Role.ADMIN), List.of());

    private static final Grant NONE = new Grant(NOBODY, Set.of(), List.of());

    /** No permissions, for calls that need no token. */
    public static Grant none() {
        return NONE;
    }

    /** All permissions, for a server without tokens. */
    public static Grant all() {
        return ALL;
    }

    static Grant of(TokenEntry token) {
        return new Grant(
                token.name(),
                token.roles(),
                token.queues().stream().map(QueuePattern::new).toList());
    }

    /** Whether the token is for some queues only. */
    public boolean isLimited() {
        return !queues.isEmpty();
    }

    public boolean isFor(String queue) {
        return queues.isEmpty() || queues.stream().anyMatch(pattern -> pattern.matches(queue));
    }

    /** Refuses a caller without the role, on any queue. */
    public void check(Role needed) {
        if (roles.stream().noneMatch(role -> role.allows(needed))) {
            throw new AccessDeniedException("This needs the role " + needed.text() + "; the token '" + name + "' has "
                    + roles.stream().sorted().map(Role::text).toList());
        }
    }

    /** Refuses a caller without the role, or without access to the queue. */
    public void check(Role needed, String queue) {
        check(needed);
        if (!isFor(queue)) {
            throw new AccessDeniedException(
                    "The token '" + name + "' is for the queues " + queues + ", not for '" + queue + "'");
        }
    }

    /** Refuses tokens for some queues, for calls that concern all queues. */
    public void checkAllQueues(String instead) {
        if (isLimited()) {
            throw new AccessDeniedException(
                    "The token '" + name + "' is for the queues " + queues + " only: " + instead);
        }
    }
}
