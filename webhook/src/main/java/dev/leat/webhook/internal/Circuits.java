package dev.leat.webhook.internal;

import dev.leat.queue.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Circuit breakers by name. After some failures in a row nothing passes for a while; then one call is let through to
 * look, and its end decides whether all may pass again or the next, longer pause begins.
 *
 * <p>Only failing names are kept: a success removes its name. Of more than 10,000 failing names, those that no delivery
 * has asked for the longest are forgotten. Safe from any thread; one lock, held for as long as a look into a map.
 */
final class Circuits {
    static final int MOST_NAMES = 10_000;
    /** While one delivery probes the receiver, the others are put off for about as long as the probe may take. */
    private static final Duration WHILE_PROBED = Duration.ofSeconds(5);

    private final int threshold;
    private final Backoff pause;
    private final InstantSource clock;
    private final Map<String, Circuit> failing = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Circuit> eldest) {
            return size() > MOST_NAMES;
        }
    };

    private static final class Circuit {
        int failures;
        int pauses;

        @Nullable
        Instant openUntil;

        boolean probed;
    }

    /** A call that was let through; it ends as a success, a failure, or given up. */
    record Pass(String name, boolean probe) {}

    Circuits(int threshold, Backoff pause, InstantSource clock) {
        this.threshold = threshold;
        this.pause = pause;
        this.clock = clock;
    }

    synchronized Pass enter(String name) throws HeldBackException {
        Circuit circuit = failing.get(name);
        if (circuit == null || circuit.openUntil == null) {
            return new Pass(name, false);
        }
        Duration left = Duration.between(clock.instant(), circuit.openUntil);
        if (left.compareTo(Duration.ZERO) > 0) {
            throw new HeldBackException("its last " + circuit.failures + " calls failed", left);
        }
        if (circuit.probed) {
            throw new HeldBackException("one call is looking whether it works again", WHILE_PROBED);
        }
        circuit.probed = true;
        return new Pass(name, true);
    }

    /** Whether calls were held back until now. */
    synchronized boolean succeeded(Pass pass) {
        Circuit circuit = failing.remove(pass.name());
        return circuit != null && circuit.openUntil != null;
    }

    /** The pause that begins with this failure, if one does. */
    synchronized Optional<Duration> failed(Pass pass) {
        Circuit circuit = failing.computeIfAbsent(pass.name(), name -> new Circuit());
        if (circuit.openUntil != null && !pass.probe()) {
            return Optional.empty(); // it was under way when the pause began
        }
        circuit.failures++;
        circuit.probed = false;
        if (circuit.failures < threshold) {
            return Optional.empty();
        }
        circuit.pauses++;
        Duration length =
                pause.delay(circuit.pauses, ThreadLocalRandom.current().nextDouble());
        circuit.openUntil = clock.instant().plus(length);
        return Optional.of(length);
    }

    /** The delivery ended without a result; if it was the probe, another delivery may probe. */
    synchronized void givenUp(Pass pass) {
        Circuit circuit = failing.get(pass.name());
        if (circuit != null && pass.probe()) {
            circuit.probed = false;
        }
    }

    synchronized int names() {
        return failing.size();
    }
}
