package dev.leat.webhook.internal;

import dev.leat.error.InvalidRequestException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The target of a webhook: the parts of an untrusted URL, checked once.
 *
 * @param host in lower case; an address of IPv6 without its brackets
 * @param pathAndQuery as written, at least {@code /}
 */
public record Target(String scheme, String host, int port, String pathAndQuery) {
    private static final int MOST_CHARACTERS = 4096;
    private static final Set<String> SCHEMES = Set.of("http", "https");
    private static final Pattern PRINTABLE = Pattern.compile("[\\x21-\\x7e]+");
    private static final Pattern AUTHORITY =
            Pattern.compile("(\\[[0-9a-f:.]*:[0-9a-f:.]*]|[a-z0-9._-]+)(?::([0-9]{1,5}))?");
    private static final Pattern NUMBER_AT_THE_END = Pattern.compile("(.*\\.)?([0-9]+|0x[0-9a-f]*)");

    /** @throws InvalidRequestException for field {@code url} */
    public static Target parse(String url) {
        URI uri = uri(url);
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        if (!SCHEMES.contains(scheme)) {
            throw bad("must start with http:// or https://");
        }
        String authority = String.valueOf(uri.getRawAuthority()).toLowerCase(Locale.ROOT);
        if (authority.contains("@")) {
            throw bad("must not have a user or a password before its host; use a header");
        }
        if (uri.getRawFragment() != null) {
            throw bad("must not have a fragment (#), which is never sent");
        }
        Matcher parts = AUTHORITY.matcher(authority);
        if (uri.getRawAuthority() == null || !parts.matches()) {
            throw bad("must name its host in ASCII, as in https://host:8443/path");
        }
        return new Target(scheme, host(parts.group(1)), port(scheme, parts.group(2)), pathAndQuery(uri));
    }

    private static URI uri(String url) {
        if (url.length() > MOST_CHARACTERS) {
            throw bad("must have at most " + MOST_CHARACTERS + " characters");
        }
        if (!PRINTABLE.matcher(url).matches()) {
            throw bad("must be ASCII without blanks; write others as %XX, and names as xn--…");
        }
        try {
            return new URI(url);
        } catch (URISyntaxException e) {
            throw bad("is no URL: " + e.getReason());
        }
    }

    private static String host(String host) {
        if (host.startsWith("[")) {
            return ipv6(host.substring(1, host.length() - 1));
        }
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        if (name.isEmpty()) {
            throw bad("must name its host");
        }
        // 127.1, 0177.0.0.1, 0x7f000001 and 2130706433 are one address to some programs and another, or none, to
        // others.
        if (NUMBER_AT_THE_END.matcher(name).matches() && !Literals.isIpv4(name)) {
            throw bad("must write an IPv4 address as four decimal numbers");
        }
        return name;
    }

    private static String ipv6(String address) {
        try {
            Literals.address(address);
            return address;
        } catch (UnknownHostException e) {
            throw bad("must have an IPv6 address in its brackets");
        }
    }

    private static int port(String scheme, @Nullable String port) {
        if (port == null) {
            return defaultPort(scheme);
        }
        int number = Integer.parseInt(port);
        if (number < 1 || number > 65_535) {
            throw bad("must have a port from 1 to 65535");
        }
        return number;
    }

    private static int defaultPort(String scheme) {
        return scheme.equals("https") ? 443 : 80;
    }

    private static String pathAndQuery(URI uri) {
        String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
    }

    private static InvalidRequestException bad(String problem) {
        return new InvalidRequestException("url", problem);
    }

    public boolean tls() {
        return scheme.equals("https");
    }

    /** The value of the header {@code Host}. */
    String authority() {
        String name = host.contains(":") ? "[" + host + "]" : host;
        return port == defaultPort(scheme) ? name : name + ":" + port;
    }

    /** The server, whichever of its paths is meant. */
    String origin() {
        return scheme + "://" + authority();
    }

    String url() {
        return origin() + pathAndQuery;
    }

    /** For messages: the values of the query, where people put tokens, are left out. */
    public String shown() {
        int query = pathAndQuery.indexOf('?');
        if (query < 0) {
            return url();
        }
        return origin()
                + pathAndQuery.substring(0, query + 1)
                + Arrays.stream(pathAndQuery.substring(query + 1).split("&", -1))
                        .map(pair -> pair.contains("=") ? pair.substring(0, pair.indexOf('=') + 1) + "…" : "…")
                        .collect(Collectors.joining("&"));
    }
}
