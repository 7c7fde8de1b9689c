package dev.leat.webhook.internal;

import dev.leat.error.InvalidRequestException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The headers that an endpoint may set. Their values may be secret, so no message contains them. */
public final class HeaderRules {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}");
    /** A line break would begin a header of its own, or a second request. */
    private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7e]{0,4096}");

    /** They say how this request is sent, which is not the endpoint's to choose. */
    private static final Set<String> OURS = Set.of(
            "host",
            "content-length",
            "transfer-encoding",
            "connection",
            "keep-alive",
            "te",
            "trailer",
            "upgrade",
            "expect",
            "accept-encoding");

    private HeaderRules() {}

    /** @throws InvalidRequestException for field {@code headers} */
    public static void check(String name, String value) {
        if (!NAME.matcher(name).matches()) {
            throw new InvalidRequestException("headers", "must have names of letters, digits and - that are not empty");
        }
        String lower = name.toLowerCase(Locale.ROOT);
        if (OURS.contains(lower) || lower.startsWith("webhook-") || lower.startsWith("proxy-")) {
            throw new InvalidRequestException("headers", "must not set " + name);
        }
        if (!legalValue(value)) {
            throw new InvalidRequestException(
                    "headers", "must be ASCII without line breaks, of at most 4096 characters; " + name + " is not");
        }
    }

    public static boolean legalValue(String value) {
        return VALUE.matcher(value).matches();
    }
}
