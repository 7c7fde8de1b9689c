package dev.leat.server;

import dev.leat.error.InvalidRequestException;
import dev.leat.server.internal.access.Grant;
import dev.leat.server.internal.access.QueuePattern;
import dev.leat.server.internal.access.TokenHash;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The entry of one token in a {@link TokenFile}. The token itself is not stored.
 *
 * @param name the holder of the token, for people and the audit log
 * @param hash the SHA-256 of the token, in hexadecimal digits
 * @param roles what the token permits
 * @param queues names of queues, where {@code *} stands for any characters; an empty list means all queues
 * @param created when the token was created
 * @param expires from when on the server refuses the token; empty for never
 */
public record TokenEntry(
        String name, String hash, Set<Role> roles, List<String> queues, Instant created, Optional<Instant> expires) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.@-]{1,64}");

    public TokenEntry {
        if (!NAME.matcher(name).matches() || name.equals(Grant.NOBODY)) {
            throw new InvalidRequestException(
                    "name",
                    "must be 1 to 64 letters, digits and _ - . @, and not '" + Grant.NOBODY + "', was '" + name + "'");
        }
        TokenHash.parse(hash);
        if (roles.isEmpty()) {
            throw new InvalidRequestException("roles", "must be at least one");
        }
        queues.forEach(QueuePattern::new);
        roles = Set.copyOf(roles);
        queues = List.copyOf(queues);
    }
}
