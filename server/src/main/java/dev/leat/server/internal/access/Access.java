package dev.leat.server.internal.access;

import dev.leat.error.LeatException;
import dev.leat.server.TokenEntry;
import dev.leat.server.TokenFile;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the grant of a request by its token. Safe for use by many threads, event loops too. Only the thread of the periodic jobs calls
 * {@link #refresh}, which reads the file.
 */
public final class Access {
    private static final Logger log = LoggerFactory.getLogger(Access.class);
    private static final String SCHEME = "bearer ";

    private final Optional<TokenFile> file;
    private volatile List<Known> tokens = List.of();
    private List<TokenEntry> lastRead = List.of();
    private String lastTrouble = "";

    private record Known(TokenHash hash, Optional<Instant> expires, Grant grant) {
        boolean isExpired() {
            return expires.isPresent() && !Instant.now().isBefore(expires.get());
        }
    }

    private Access(Optional<TokenFile> file) {
        this.file = file;
    }

    /** Access without tokens: every caller may do everything. */
    public static Access unlimited() {
        return new Access(Optional.empty());
    }

    /** Access for the tokens of a file; throws if the file is missing or wrong. */
    public static Access with(TokenFile file) {
        Access access = new Access(Optional.of(file));
        access.use(file.read());
        return access;
    }

    /**
     * The grant of a token; empty for a missing, wrong or expired token.
     *
     * @param authorization the header of that name
     */
    public Optional<Grant> of(@Nullable String authorization) {
        if (file.isEmpty()) {
            return Optional.of(Grant.all());
        }
        if (authorization == null || !authorization.toLowerCase(Locale.ROOT).startsWith(SCHEME)) {
            return Optional.empty();
        }
        TokenHash asked = TokenHash.of(authorization.substring(SCHEME.length()).strip());
        Optional<Known> found = Optional.empty();
        for (Known known : tokens) { // no early exit: the duration must not depend on the position of the token
            if (known.hash().matches(asked)) {
                found = Optional.of(known);
            }
        }
        return found.filter(known -> !known.isExpired()).map(Known::grant);
    }

    /** Reads the file again. While the file is missing or wrong, the last good tokens stay valid, and the server logs this once. */
    public void refresh() {
        if (file.isEmpty()) {
            return;
        }
        try {
            List<TokenEntry> read = file.get().read();
            lastTrouble = "";
            if (!read.equals(lastRead)) {
                use(read);
                log.info("Read {} tokens from {}", read.size(), file.get().path());
            }
        } catch (LeatException e) {
            String trouble = String.valueOf(e.getMessage());
            if (!trouble.equals(lastTrouble)) {
                log.error("{}. The {} tokens from before stay good.", trouble, lastRead.size());
                lastTrouble = trouble;
            }
        }
    }

    private void use(List<TokenEntry> read) {
        lastRead = read;
        tokens = read.stream()
                .map(token -> new Known(TokenHash.parse(token.hash()), token.expires(), Grant.of(token)))
                .toList();
    }
}
