package dev.leat.sql.chaos;

import dev.leat.SettleResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds out from the ledger alone whether a promise was broken.
 *
 * <p>A process cannot know when the storage took a lease from it, least of all while it stands still. So only what is
 * certain counts: a lease whose settle was accepted was held from its take to that settle; any other lease was held from its
 * take for as long as a heartbeat of its session that the storage has answered allows, which is {@code deadAfter} from the
 * beginning of that heartbeat. Two such times on one task or key must not meet, nor may another take fall into one.
 */
final class LedgerChecker {
    /** Databases keep times in microseconds. */
    private static final long ROUNDING = Duration.ofMillis(1).toNanos();

    private final long deadAfter;
    private final Map<Long, String> keys = new HashMap<>();
    private final Set<String> rolledBack = new HashSet<>();
    private final Set<String> killed = new HashSet<>();
    private final Map<String, Long> lastAlive = new HashMap<>();
    private final Map<String, Long> closing = new HashMap<>();
    private final Map<String, Delivery> deliveries = new LinkedHashMap<>();
    private final List<String> violations = new ArrayList<>();

    private LedgerChecker(Duration deadAfter) {
        this.deadAfter = deadAfter.toNanos();
    }

    /** What is wrong; nothing when every promise was kept. */
    static List<String> violations(Collection<Entry> ledger, Duration deadAfter) {
        LedgerChecker checker = new LedgerChecker(deadAfter);
        checker.read(ledger);
        checker.check();
        return checker.violations;
    }

    private void read(Collection<Entry> ledger) {
        for (Entry entry : ledger) {
            switch (entry.event()) {
                case COMMITTED -> keys.put(entry.task(), entry.about());
                case ROLLED_BACK -> rolledBack.add(entry.about());
                case KILLED -> killed.add(entry.about());
                case ALIVE -> lastAlive.merge(entry.about(), entry.since(), Math::max);
                case CLOSING -> closing.put(entry.about(), entry.at());
                case TAKEN -> {
                    if (deliveries.put(entry.token(), new Delivery(entry)) != null) {
                        violations.add("one token was handed out twice: " + entry.line());
                    }
                }
                default -> {}
            }
        }
        for (Entry entry : ledger) {
            switch (entry.event()) {
                case STARTED -> delivery(entry).starts.add(entry);
                case ENDED -> delivery(entry).ends.add(entry);
                case SETTLING -> delivery(entry).settling.add(entry);
                case SETTLED -> delivery(entry).settled.add(entry);
                default -> {}
            }
        }
        deliveries.values().forEach(delivery -> delivery.heldUntil = heldUntil(delivery));
    }

    private Delivery delivery(Entry entry) {
        Delivery delivery = deliveries.get(entry.token());
        if (delivery == null) {
            throw new IllegalStateException("no take brought the token of " + entry.line());
        }
        return delivery;
    }

    private long heldUntil(Delivery delivery) {
        long settling = delivery.firstSettling().orElse(Long.MAX_VALUE);
        if (delivery.isAccepted()) {
            return settling;
        }
        return delivery.settled.isEmpty() ? Math.min(settling, heldBySession(delivery)) : heldBySession(delivery);
    }

    private long heldBySession(Delivery delivery) {
        String session = delivery.taken.about();
        Long alive = lastAlive.get(session);
        long byHeartbeat = alive == null ? Long.MIN_VALUE : alive + deadAfter - ROUNDING;
        return Math.min(byHeartbeat, closing.getOrDefault(session, Long.MAX_VALUE));
    }

    private void check() {
        deliveries.values().forEach(this::checkDelivery);
        Map<Long, List<Delivery>> byTask =
                deliveries.values().stream().collect(Collectors.groupingBy(Delivery::task, Collectors.toList()));
        keys.keySet().forEach(task -> checkEnd(task, byTask.getOrDefault(task, List.of())));
        byTask.values().forEach(of -> checkApart(of, "task"));
        deliveries.values().stream()
                .filter(delivery -> !keys.getOrDefault(delivery.task(), "").isEmpty())
                .collect(Collectors.groupingBy(delivery -> keys.get(delivery.task())))
                .forEach((key, of) -> checkApart(of, "key " + key));
    }

    private void checkDelivery(Delivery delivery) {
        if (delivery.starts.stream().anyMatch(start -> rolledBack.contains(start.about()))) {
            violations.add("a task ran whose put was rolled back: " + delivery);
        }
        if (!keys.containsKey(delivery.task())) {
            violations.add("a task was handed out that nobody has put: " + delivery);
        }
        if (delivery.starts.size() > 1) {
            violations.add("one delivery ran twice: " + delivery);
        }
        if (delivery.settled.stream().filter(LedgerChecker::isDone).count() > 1) {
            violations.add("one delivery was settled twice: " + delivery);
        }
        boolean refusedTooEarly = !delivery.isAccepted()
                && delivery.settled.stream().anyMatch(refusal -> refusal.at() < delivery.heldUntil);
        if (refusedTooEarly) {
            violations.add("a settle was refused though the lease was held: " + delivery);
        }
        if (delivery.isAcknowledged() && !ranBeforeItsSettle(delivery)) {
            violations.add("a task was done without having run: " + delivery);
        }
    }

    private static boolean isDone(Entry settled) {
        return settled.about().equals(SettleResult.Status.DONE.name());
    }

    private static boolean ranBeforeItsSettle(Delivery delivery) {
        return delivery.ends.stream()
                .anyMatch(end -> end.at() <= delivery.firstSettling().orElseThrow());
    }

    private void checkEnd(long task, List<Delivery> of) {
        List<Delivery> acknowledged =
                of.stream().filter(Delivery::isAcknowledged).toList();
        if (acknowledged.size() > 1) {
            violations.add("a task was done twice: " + acknowledged);
        }
        if (acknowledged.isEmpty() && of.stream().noneMatch(run -> mayHaveEnded(run, of))) {
            violations.add("task " + task + " is missing: it was committed, and no run of it was acknowledged: " + of);
        }
        for (Delivery done : acknowledged) {
            of.stream()
                    .filter(other -> other.taken.since() > lastAnswer(done))
                    .forEach(other -> violations.add("a task was handed out that was done: " + done + ", " + other));
        }
    }

    /** Nobody knows whether the storage heard the last words of a process that was killed, unless it goes on as if not. */
    private boolean mayHaveEnded(Delivery run, List<Delivery> of) {
        return run.mayBeAcknowledged()
                && killed.contains(run.taken.process())
                && of.stream()
                        .noneMatch(other ->
                                other.taken.since() > run.firstSettling().orElseThrow());
    }

    private static long lastAnswer(Delivery done) {
        return done.settled.stream().mapToLong(Entry::at).max().orElseThrow();
    }

    private void checkApart(List<Delivery> of, String shared) {
        for (Delivery one : of) {
            for (Delivery other : of) {
                if (one != other && one.isLive() && isWithin(other, one)) {
                    violations.add(
                            (isLateSettle(one, other) ? "a settle was accepted after the loss" : "two live leases")
                                    + " on one " + shared + ": " + one + ", " + other);
                }
            }
        }
    }

    /** Whether the other lease began while this one was held, or was held when this one was taken. */
    private static boolean isWithin(Delivery other, Delivery held) {
        boolean begunWithin = other.taken.since() >= held.taken.at() && other.taken.at() <= held.heldUntil;
        boolean bothHeld = other.isLive() && other.taken.at() >= held.taken.at() && other.taken.at() < held.heldUntil;
        return begunWithin || bothHeld;
    }

    private static boolean isLateSettle(Delivery held, Delivery other) {
        return held.task() == other.task() && held.isAccepted();
    }
}
