package dev.leat.internal.memory;

import dev.leat.Attempt;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.Predecessor.Until;
import dev.leat.Task;
import dev.leat.TaskState;
import dev.leat.Thrown;
import dev.leat.storage.Predecessors;
import dev.leat.storage.SettledBy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One task in memory, with the links of the one list it is in. Guarded by the storage's lock. */
final class Entry {
    /** How many unsuccessful deliveries of one task are remembered; a task that is tried for ever must not grow. */
    private static final int MAX_HISTORY = 1_000;

    record PastAttempt(long nonce, SettledBy by, Attempt attempt) {}

    final long id;
    final MemoryQueue queue;
    final int priority;
    final Instant created;
    NewTask given;
    TaskState state = TaskState.WAITING;
    Instant due;

    @Nullable
    Instant previousDue;

    @Nullable
    Instant expires;

    @Nullable
    Duration ttr;

    @Nullable
    MemoryGroup group;

    /** Those it waits for that have not ended yet. */
    private @Nullable Map<Entry, Until> waitsFor;
    /** Those that wait for it, or did. */
    private @Nullable Set<Entry> followers;
    /** Why it has to be canceled, if one it waited for ended badly. */
    @Nullable
    String doom;

    @Nullable
    String payloadHash;

    int attempts;
    int failures;
    int losses;
    int releases;

    long nonce;

    @Nullable
    Instant takenAt;

    @Nullable
    Instant leaseUntil;

    @Nullable
    Instant revokeAt;

    @Nullable
    MemorySession session;

    boolean cancelRequested;
    /** The last part of the result that the holder has told of. */
    int chunk;
    /** Whether somebody waits, or has waited, for its end. */
    boolean awaited;

    @Nullable
    String message;

    int errorCode;

    @Nullable
    Payload result;

    @Nullable
    Instant finished;

    /** Its retention is over: kept for a while to answer repeated settles and waiters, but no longer shown. */
    boolean hidden;

    long settledNonce;
    SettledBy settledBy = SettledBy.NOTHING;
    private @Nullable Deque<PastAttempt> history;
    private @Nullable Deque<Long> givenBack;

    /** When time changes this entry; null when it never does. Changed only through {@link Timers}. */
    @Nullable
    Instant timerAt;

    @Nullable
    Entry hashNext;

    @Nullable
    EntryList list;

    @Nullable
    Entry prev;

    @Nullable
    Entry next;

    int bagIndex = -1;

    Entry(long id, MemoryQueue queue, NewTask given, Instant created, Instant due) {
        this.id = id;
        this.queue = queue;
        this.given = given;
        this.created = created;
        this.due = due;
        this.priority = given.priority().orElse(queue.options.priority());
    }

    @Nullable
    String key() {
        return given.key().orElse(null);
    }

    boolean isHeldUnder(long leaseNonce) {
        return state == TaskState.TAKEN && nonce == leaseNonce;
    }

    // Those before and after it

    void follow(Entry before, Until until) {
        if (Predecessors.hasEnded(before.state)) {
            ended(before, until);
            return;
        }
        waitsFor = waitsFor == null ? new HashMap<>(2) : waitsFor;
        waitsFor.put(before, until);
        before.followers = before.followers == null ? new LinkedHashSet<>(2) : before.followers;
        before.followers.add(this);
    }

    boolean waitsForOthers() {
        return waitsFor != null && !waitsFor.isEmpty();
    }

    /** One that it waits for has ended. */
    void beforeEnded(Entry before) {
        Until until = waitsFor == null ? null : waitsFor.remove(before);
        if (until != null) {
            ended(before, until);
        }
    }

    private void ended(Entry before, Until until) {
        if (doom == null && !Predecessors.isMet(until, before.state)) {
            doom = Predecessors.reason(before.id, before.state);
        }
    }

    /** Those that wait for it, in the order of their puts. */
    Set<Entry> takeFollowers() {
        Set<Entry> all = followers == null ? Set.of() : followers;
        followers = null;
        return all;
    }

    void remember(
            SettledBy by,
            Attempt.Outcome outcome,
            String message,
            Optional<Thrown> thrown,
            Instant now,
            @Nullable Instant nextDue) {
        Optional<String> who = session == null ? Optional.empty() : Optional.of(session.id);
        Instant started = takenAt == null ? now : takenAt;
        Attempt attempt =
                new Attempt(attempts, started, now, outcome, message, who, Optional.ofNullable(nextDue), thrown);
        history = history == null ? new ArrayDeque<>(2) : history;
        keep(history, new PastAttempt(nonce, by, attempt));
    }

    /** A delivery that was given back was no attempt, but its settle is recognised when it comes again. */
    void rememberGivenBack() {
        givenBack = givenBack == null ? new ArrayDeque<>(2) : givenBack;
        keep(givenBack, nonce);
    }

    private static <T> void keep(Deque<T> past, T item) {
        if (past.size() == MAX_HISTORY) {
            past.removeFirst();
        }
        past.addLast(item);
    }

    List<Attempt> attemptHistory() {
        return history == null
                ? List.of()
                : history.stream().map(PastAttempt::attempt).toList();
    }

    /** Whether the delivery {@code leaseNonce} was settled in just this way before. */
    boolean wasSettled(long leaseNonce, SettledBy by) {
        if (settledNonce == leaseNonce) {
            return settledBy == by;
        }
        if (by == SettledBy.GIVE_BACK) {
            return givenBack != null && givenBack.contains(leaseNonce);
        }
        return history != null && history.stream().anyMatch(a -> a.nonce == leaseNonce && a.by == by);
    }

    Task snapshot() {
        return Task.of(id, given, state, created, due)
                .priority(priority)
                .previousDue(previousDue)
                .expires(expires)
                .ttr(ttr)
                .counts(attempts, failures, losses, releases)
                .cancelRequested(cancelRequested)
                .payloadHash(payloadHash)
                .message(message)
                .failureCode(errorCode)
                .result(result)
                .finished(finished)
                .build();
    }

    @Override
    public String toString() {
        return "Entry[" + id + " " + state + "]";
    }
}
