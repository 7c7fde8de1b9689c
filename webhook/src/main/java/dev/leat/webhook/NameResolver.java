package dev.leat.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Finds the addresses of a host. It is called once per delivery, and never for a literal address. */
@FunctionalInterface
public interface NameResolver {
    List<InetAddress> resolve(String host) throws UnknownHostException;

    /** As the machine does it. */
    static NameResolver system() {
        return host -> List.of(InetAddress.getAllByName(host));
    }
}
