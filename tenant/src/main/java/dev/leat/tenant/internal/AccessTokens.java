package dev.leat.tenant.internal;

import dev.leat.tenant.TenantException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the token of an OAuth 2 server and renews it before it expires. One thread asks the server; threads that come meanwhile
 * share its result, also a failure: with an unreachable server they would otherwise time out one after the other. Safe from any
 * thread.
 */
public final class AccessTokens {
    private static final Duration EARLY = Duration.ofSeconds(10);
    private static final int OK = 200;
    /** The characters that RFC 6750 allows. The HTTP client would quote a token with others in its exception. */
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");
    /** From RFC 6749; whatever else a server says in their place may hold a secret. */
    private static final Set<String> REASONS = Set.of(
            "invalid_request",
            "invalid_client",
            "invalid_grant",
            "unauthorized_client",
            "unsupported_grant_type",
            "invalid_scope");

    private final HttpCalls calls;
    private final Supplier<HttpRequest> request;
    private final InstantSource clock;

    private volatile @Nullable Token current;
    /** The running request that other threads wait for; guarded by this. */
    private @Nullable CompletableFuture<Token> underWay;

    private record Token(String value, Instant useUntil) {
        @Override
        public String toString() {
            return "Token[until " + useUntil + "]";
        }
    }

    /** @param request for a new token */
    public AccessTokens(HttpCalls calls, Supplier<HttpRequest> request, InstantSource clock) {
        this.calls = calls;
        this.request = request;
        this.clock = clock;
    }

    public String get() {
        return usable("").orElseGet(() -> renewed(""));
    }

    /** A token other than the refused one; another thread may have fetched it already. */
    public String insteadOf(String refused) {
        return renewed(refused);
    }

    private String renewed(String refused) {
        CompletableFuture<Token> mine = new CompletableFuture<>();
        CompletableFuture<Token> first;
        synchronized (this) {
            Optional<String> others = usable(refused);
            if (others.isPresent()) {
                return others.get();
            }
            first = underWay;
            if (first == null) {
                underWay = mine;
            }
        }
        return first == null ? ask(mine).value : shared(first).value;
    }

    private Token ask(CompletableFuture<Token> others) {
        try {
            Token token = ask();
            finish(token);
            others.complete(token);
            return token;
        } catch (Throwable e) {
            finish(current);
            others.completeExceptionally(e);
            throw e;
        }
    }

    private synchronized void finish(@Nullable Token token) {
        current = token;
        underWay = null;
    }

    private static Token shared(CompletableFuture<Token> first) {
        try {
            return first.join();
        } catch (CompletionException e) {
            Throwable why = e.getCause() == null ? e : e.getCause();
            throw new TenantException(String.valueOf(why.getMessage()), why);
        }
    }

    private Token ask() {
        Instant asked = clock.instant();
        HttpRequest asking = request.get();
        HttpUrl url = new HttpUrl(asking.uri());
        HttpCalls.Answer answer = calls.send(asking);
        if (answer.status() != OK) {
            throw new TenantException(
                    url + " answered " + answer.status() + reason(answer) + " when it was asked for a token");
        }
        AnswerFields fields = AnswerFields.parse(url.toString(), answer.body());
        String token = fields.needed("access_token");
        if (!TOKEN.matcher(token).matches()) {
            throw fields.wrong("access_token", "has other characters than a token may have");
        }
        if (!fields.text("token_type").orElse("Bearer").equalsIgnoreCase("Bearer")) {
            throw fields.wrong("token_type", "is not Bearer");
        }
        return new Token(
                token,
                fields.number("expires_in").map(life -> useUntil(asked, life)).orElse(Instant.MAX));
    }

    /** A short-lived token is used for half of its life, so that threads that come together share one. */
    private static Instant useUntil(Instant asked, long lifeSeconds) {
        Duration life = Duration.ofSeconds(lifeSeconds);
        Duration half = life.dividedBy(2);
        return asked.plus(life).minus(half.compareTo(EARLY) < 0 ? half : EARLY);
    }

    private static String reason(HttpCalls.Answer answer) {
        try {
            Optional<String> error = AnswerFields.parse("", answer.body()).text("error");
            return error.filter(REASONS::contains)
                    .map(text -> " (" + text + ")")
                    .orElse("");
        } catch (TenantException e) {
            return "";
        }
    }

    private Optional<String> usable(String refused) {
        return Optional.ofNullable(current)
                .filter(token -> clock.instant().isBefore(token.useUntil))
                .map(Token::value)
                .filter(value -> !value.equals(refused));
    }
}
