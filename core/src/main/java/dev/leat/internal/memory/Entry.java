package dev.leat.internal.memory;

import dev.leat.Attempt;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.Predecessor.Until;
import dev.leat.Task;
import dev.leat.TaskState;
import dev.leat.Thrown;
import dev.leat.storage.DeliveryCounts;
import dev.leat.storage.HolderReport;
import dev.leat.storage.Predecessors;
import dev.leat.storage.Remembered;
import dev.leat.storage.SettledBy;
import dev.leat.storage.TaskStatus;
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

/** One task in memory, with the links of the list that it is in. Guarded by the storage's lock. */
final class Entry {
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

    /** The entries that this one comes after and that have not ended. */
    private @Nullable Map<Entry, Until> waitsFor;
    /** The entries that come after this one, until it ends. */
    private @Nullable Set<Entry> followers;
    /** Why the entry has to be canceled; null unless an entry that it comes after ended badly. */
    @Nullable
    String predecessorFailure;

    @Nullable
    String payloadHash;

    DeliveryCounts counts = DeliveryCounts.NONE;

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
    /** The number of the last chunk that the holder has reported. */
    int chunk;
    /** Whether a caller waits, or has waited, for the end of the task. */
    boolean awaited;

    @Nullable
    String message;

    int errorCode;

    @Nullable
    Payload result;

    @Nullable
    Instant finished;

    /** Whether the retention is over: the entry then answers repeated settles and waiters, but is not shown. */
    boolean hidden;

    long settledNonce;
    SettledBy settledBy = SettledBy.NOTHING;
    private @Nullable Deque<PastAttempt> history;
    private @Nullable Deque<Long> givenBack;

    /** When time changes this entry; null for never. Changed only by {@link Timers}. */
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

    // Predecessors and followers

    void follow(Entry before, Until until) {
        if (TaskStatus.hasEnded(before.state)) {
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

    /** Called when an entry that this one comes after has ended. */
    void beforeEnded(Entry before) {
        Until until = waitsFor == null ? null : waitsFor.remove(before);
        if (until != null) {
            ended(before, until);
        }
    }

    private void ended(Entry before, Until until) {
        if (predecessorFailure == null && !Predecessors.isMet(until, before.state)) {
            predecessorFailure = Predecessors.reason(before.id, before.state);
        }
    }

    /** Removes and returns the entries that come after this one, in the order of their puts. */
    Set<Entry> takeFollowers() {
        Set<Entry> all = followers == null ? Set.of() : followers;
        followers = null;
        return all;
    }

    void report(HolderReport report) {
        message = report.message();
        errorCode = report.errorCode();
        result = report.result();
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
        Attempt attempt = new Attempt(
                counts.attempts(), started, now, outcome, message, who, Optional.ofNullable(nextDue), thrown);
        history = history == null ? new ArrayDeque<>(2) : history;
        keep(history, new PastAttempt(nonce, by, attempt));
    }

    /** A give-back leaves no attempt, but the same give-back is recognised when it is repeated. */
    void rememberGivenBack() {
        givenBack = givenBack == null ? new ArrayDeque<>(2) : givenBack;
        keep(givenBack, nonce);
    }

    private static <T> void keep(Deque<T> past, T item) {
        if (past.size() == Remembered.ATTEMPTS_PER_TASK) {
            past.removeFirst();
        }
        past.addLast(item);
    }

    List<Attempt> attemptHistory() {
        return history == null
                ? List.of()
                : history.stream().map(PastAttempt::attempt).toList();
    }

    /** Whether the delivery {@code leaseNonce} was settled in this way before. */
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
                .counts(counts.attempts(), counts.failures(), counts.losses(), counts.releases())
                .cancelRequested(cancelRequested)
                .payloadHash(payloadHash)
                .message(message)
                .errorCode(errorCode)
                .result(result)
                .finished(finished)
                .build();
    }

    @Override
    public String toString() {
        return "Entry[" + id + " " + state + "]";
    }
}
