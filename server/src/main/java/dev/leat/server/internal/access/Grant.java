package dev.leat.server.internal.access;

import dev.leat.error.AccessDeniedException;
import dev.leat.server.Role;
import dev.leat.server.TokenEntry;
import java.util.List;
import java.util.Set;

/**
 * What whoever makes a call may do.
 *
 * @param name of the token, for people and the audit log
 * @param roles what it is for
 * @param queues the queues that it is for; if there are none, all
 */
public record Grant(String name, Set<Role> roles, List<QueuePattern> queues) {
    /** Who has shown no token. */
    public static final String NOBODY = "anonymous";

    private static final Grant ALL = new Grant(NOBODY, Set.of(Role.ADMIN), List.of());

    private static final Grant NONE = new Grant(NOBODY, Set.of(), List.of());

    /** Nothing, for calls that nobody has to show a token for. */
    public static Grant none() {
        return NONE;
    }

    /** Everything, for a server that asks nobody for a token. */
    public static Grant all() {
        return ALL;
    }

    static Grant of(TokenEntry token) {
        return new Grant(
                token.name(),
                token.roles(),
                token.queues().stream().map(QueuePattern::new).toList());
    }

    /** Whether it is for some queues only. */
    public boolean isLimited() {
        return !queues.isEmpty();
    }

    public boolean isFor(String queue) {
        return queues.isEmpty() || queues.stream().anyMatch(pattern -> pattern.matches(queue));
    }

    /** Refuses what the roles do not allow on any queue. */
    public void check(Role needed) {
        if (roles.stream().noneMatch(role -> role.allows(needed))) {
            throw new AccessDeniedException("This needs the role " + needed.text() + "; the token '" + name + "' has "
                    + roles.stream().sorted().map(Role::text).toList());
        }
    }

    /** Refuses what the roles do not allow, or not on this queue. */
    public void check(Role needed, String queue) {
        check(needed);
        if (!isFor(queue)) {
            throw new AccessDeniedException(
                    "The token '" + name + "' is for the queues " + queues + ", not for '" + queue + "'");
        }
    }

    /** For calls on all queues at once that cannot leave some of them out. */
    public void checkAllQueues(String instead) {
        if (isLimited()) {
            throw new AccessDeniedException(
                    "The token '" + name + "' is for the queues " + queues + " only: " + instead);
        }
    }
}
