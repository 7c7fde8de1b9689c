package dev.leat.webhook.internal;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Decides which addresses may be called: those of the public internet, and those that the operator allows.
 *
 * <p>For IPv4 it refuses the special ranges of IANA's registry. For IPv6 it allows only the ranges that are assigned
 * to the public is let through, because most of the rest is unassigned and may become anything. An address that carries
 * one of IPv4 inside it is judged by that, too: a gateway on the way would go there.
 */
public final class AddressGuard {
    /** A refused range with its name for messages. */
    private record Refused(Network network, String what) {
        Refused(String network, String what) {
            this(Network.parse(network), what);
        }
    }

    private static final List<Refused> IPV4 = List.of(
            new Refused("0.0.0.0/8", "an unspecified address"),
            new Refused("10.0.0.0/8", "a private address"),
            new Refused("100.64.0.0/10", "an address behind a carrier's NAT"),
            new Refused("127.0.0.0/8", "a loopback address"),
            new Refused("168.63.129.16/32", "an address of cloud metadata"),
            new Refused("169.254.0.0/16", "a link-local address"),
            new Refused("172.16.0.0/12", "a private address"),
            new Refused("192.0.0.0/24", "a reserved address"),
            new Refused("192.0.2.0/24", "an address for documentation"),
            new Refused("192.88.99.0/24", "a reserved address"),
            new Refused("192.168.0.0/16", "a private address"),
            new Refused("198.18.0.0/15", "an address for benchmarks"),
            new Refused("198.51.100.0/24", "an address for documentation"),
            new Refused("203.0.113.0/24", "an address for documentation"),
            new Refused("224.0.0.0/4", "a multicast address"),
            new Refused("240.0.0.0/4", "a reserved address"));

    private static final Network PUBLIC_IPV6 = Network.parse("2000::/3");
    private static final Network NAT64 = Network.parse("64:ff9b::/96");
    private static final Network SIX_TO_FOUR = Network.parse("2002::/16");

    private static final List<Refused> IPV6 = List.of(
            new Refused("2001::/23", "a reserved address"),
            new Refused("2001:db8::/32", "an address for documentation"),
            new Refused("3fff::/20", "an address for documentation"));

    private final List<Network> allowed;

    public AddressGuard(List<Network> allowed) {
        this.allowed = List.copyOf(allowed);
    }

    /** The kind of a refused address; empty if it may be called. */
    public Optional<String> refusal(InetAddress address) {
        if (allowed.stream().anyMatch(network -> network.contains(address))) {
            return Optional.empty();
        }
        if (address instanceof Inet4Address) {
            return find(IPV4, address);
        }
        Optional<InetAddress> inside = inside(address);
        if (inside.isPresent()) {
            return refusal(inside.get());
        }
        return PUBLIC_IPV6.contains(address)
                ? find(IPV6, address)
                : Optional.of("an address outside the public internet");
    }

    private static Optional<String> find(List<Refused> ranges, InetAddress address) {
        return ranges.stream()
                .filter(range -> range.network().contains(address))
                .map(Refused::what)
                .findFirst();
    }

    /** The address of IPv4 that packets to this one end up at. */
    private static Optional<InetAddress> inside(InetAddress address) {
        if (NAT64.contains(address)) {
            return Optional.of(ipv4(address, 12));
        }
        if (SIX_TO_FOUR.contains(address)) {
            return Optional.of(ipv4(address, 2));
        }
        return Optional.empty();
    }

    private static InetAddress ipv4(InetAddress address, int from) {
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(address.getAddress(), from, from + 4));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }
}
