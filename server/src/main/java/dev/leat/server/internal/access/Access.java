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
 * Tells who makes a request. Any thread may ask, an event loop too; one thread calls {@link #refresh} now and then, and is the only
 * one that reads the file.
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

    /** Everybody may do everything. */
    public static Access unlimited() {
        return new Access(Optional.empty());
    }

    /** Whoever has one of the tokens; throws if the file is not there, or is wrong. */
    public static Access with(TokenFile file) {
        Access access = new Access(Optional.of(file));
        access.use(file.read());
        return access;
    }

    /**
     * What the holder of a token may do; empty if there is none, or a wrong or expired one.
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
        for (Known known : tokens) { // to the end: how long it takes says nothing about where it was found
            if (known.hash().matches(asked)) {
                found = Optional.of(known);
            }
        }
        return found.filter(known -> !known.isExpired()).map(Known::grant);
    }

    /** Reads the file again. While it is missing or wrong, the tokens from before are good; that is logged once. */
    public void refresh() {
        if (file.isEmpty()) {
            return;
        }
        try {
            List<TokenEntry> read = file.get().read();
            lastTrouble = "";
            if (!read.equals(lastRead)) {
                use(read);
                log.info("{} tokens were read from {}", read.size(), file.get().path());
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
