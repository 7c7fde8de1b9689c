package dev.leat.webhook.internal;

import dev.leat.webhook.NameResolver;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resolves the host of a delivery once, and returns its addresses only if all of them may be called. Whoever
 * answers for the name cannot give a good address to the check and a bad one to the connection, nor mix the two.
 *
 * <p>Names are looked up on threads of their own, since the JDK's lookup can be neither interrupted nor given a time. A
 * thread whose lookup hangs is abandoned until the system ends the lookup.
 */
public final class CheckedNames implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CheckedNames.class);

    private final NameResolver resolver;
    private final AddressGuard guard;
    private final Set<String> allowedHosts;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "leat-webhook-names");
        thread.setDaemon(true);
        return thread;
    });

    public CheckedNames(NameResolver resolver, AddressGuard guard, Set<String> allowedHosts) {
        this.resolver = resolver;
        this.guard = guard;
        this.allowedHosts =
                allowedHosts.stream().map(host -> host.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
    }

    /** At least one address; all of them may be called. */
    public List<InetAddress> resolve(String host, Deadline deadline) throws IOException {
        List<InetAddress> addresses = addresses(host, deadline);
        if (!allowedHosts.contains(host)) {
            for (InetAddress address : addresses) {
                check(host, address);
            }
        }
        return addresses;
    }

    private void check(String host, InetAddress address) throws RefusedAddressException {
        Optional<String> refusal = guard.refusal(address);
        if (refusal.isPresent()) {
            // Not in the message: the author of the URL may read it and must not learn internal addresses.
            log.debug("{} resolves to {}, {}", host, address.getHostAddress(), refusal.get());
            throw new RefusedAddressException("its host is " + refusal.get() + ", which must be allowed to be called");
        }
    }

    private List<InetAddress> addresses(String host, Deadline deadline) throws IOException {
        try {
            Optional<InetAddress> literal = Literals.address(host);
            List<InetAddress> addresses = literal.isPresent()
                    ? List.of(literal.get())
                    : within(deadline, () -> List.copyOf(resolver.resolve(host)));
            if (addresses.isEmpty()) {
                throw new UnknownHostException(host);
            }
            return addresses;
        } catch (UnknownHostException e) {
            throw new UnreachableException("its host is not known", e);
        }
    }

    private <T> T within(Deadline deadline, Callable<T> task) throws IOException {
        Future<T> result;
        try {
            result = threads.submit(task);
        } catch (RejectedExecutionException e) {
            throw new IOException("the sender was closed", e);
        }
        try {
            return result.get(deadline.nanosLeft(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            result.cancel(true);
            throw new UnreachableException("its host could not be resolved in time", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownHostException unknown) {
                throw unknown;
            }
            throw new UnreachableException("its host could not be resolved: " + e.getCause(), e);
        } catch (InterruptedException e) {
            result.cancel(true);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
