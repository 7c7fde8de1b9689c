package dev.leat.webhook.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/** Literal addresses in a URL, in the forms that all programs read alike. Never looks up a name. */
final class Literals {
    private static final String BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    private static final Pattern IPV4 = Pattern.compile(BYTE + "(\\." + BYTE + "){3}");

    private Literals() {}

    static boolean isIpv4(String host) {
        return IPV4.matcher(host).matches();
    }

    /** Empty when it is a name. */
    static Optional<InetAddress> address(String host) throws UnknownHostException {
        boolean literal = host.contains(":") || isIpv4(host);
        return literal ? Optional.of(InetAddress.getByName(host)) : Optional.empty();
    }
}
