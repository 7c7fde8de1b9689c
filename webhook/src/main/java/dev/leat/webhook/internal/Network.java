package dev.leat.webhook.internal;

import dev.leat.error.InvalidRequestException;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** The addresses that begin with the same bits: {@code 10.0.0.0/8}. */
public final class Network {
    private final byte[] start;
    private final int bits;

    private Network(byte[] start, int bits) {
        this.start = start;
        this.bits = bits;
    }

    /** @throws InvalidRequestException for field {@code network} */
    public static Network parse(String text) {
        int slash = text.indexOf('/');
        String address = slash < 0 ? text : text.substring(0, slash);
        byte[] start = start(text, address);
        int most = start.length * 8;
        int bits = slash < 0 ? most : bits(text, text.substring(slash + 1));
        if (bits < 0 || bits > most) {
            throw bad(text);
        }
        return new Network(start, bits);
    }

    private static byte[] start(String text, String address) {
        try {
            return Literals.address(address).orElseThrow(() -> bad(text)).getAddress();
        } catch (UnknownHostException e) {
            throw bad(text);
        }
    }

    private static int bits(String text, String bits) {
        try {
            return Integer.parseInt(bits);
        } catch (NumberFormatException e) {
            throw bad(text);
        }
    }

    private static InvalidRequestException bad(String text) {
        return new InvalidRequestException("network", "must be like 10.0.0.0/8 or fd00::/8, was '" + text + "'");
    }

    boolean contains(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length != start.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit++) {
            int mask = 0x80 >> (bit % 8);
            if ((bytes[bit / 8] & mask) != (start[bit / 8] & mask)) {
                return false;
            }
        }
        return true;
    }
}
