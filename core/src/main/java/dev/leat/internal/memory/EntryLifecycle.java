package dev.leat.internal.memory;

import dev.leat.Attempt;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Predecessor.Until;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.Thrown;
import dev.leat.queue.Retention;
import dev.leat.storage.FanOut;
import dev.leat.storage.Hashes;
import dev.leat.storage.LeasedTask;
import dev.leat.storage.Notice;
import dev.leat.storage.SettledBy;
import dev.leat.storage.TaskLimits;
import dev.leat.storage.Transition;
import dev.leat.topic.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The ways between the states of a task, each written once: through the gates, into a lease, out of it, to an end.
 *
 * <p>Every change of state goes through {@link #move}, which keeps the counts of queue and group and the entry's timer
 * true. Guarded by the storage's lock.
 */
final class EntryLifecycle {
    /** Puts a task that follows from another's end. */
    interface Unasked {
        long put(NewTask task, Instant now);
    }

    private final Timers timers;
    private final FinishedEntries shelf;
    private final PendingNotices news;
    private final MemoryGroups groups;
    private final SubscriptionTable subscriptions;
    private final Unasked unasked;
    private final SplittableRandom random;
    /** Entries whose followers have still to be told. */
    private final Deque<Entry> justEnded = new ArrayDeque<>();

    EntryLifecycle(
            Timers timers,
            FinishedEntries shelf,
            PendingNotices news,
            MemoryGroups groups,
            SubscriptionTable subscriptions,
            Unasked unasked,
            SplittableRandom random) {
        this.subscriptions = subscriptions;
        this.timers = timers;
        this.shelf = shelf;
        this.news = news;
        this.groups = groups;
        this.unasked = unasked;
        this.random = random;
    }

    // In

    /**
     * A new entry, not yet in any state.
     *
     * @param before those it waits for
     */
    Entry create(
            long id,
            MemoryQueue queue,
            NewTask given,
            @Nullable MemoryGroup group,
            Map<Entry, Until> before,
            Instant now) {
        Instant due = given.due().after(now);
        Entry e = new Entry(id, queue, given, now, due);
        e.expires = TaskLimits.ttl(given, queue.options).map(due::plus).orElse(null);
        e.ttr = TaskLimits.ttr(given, queue.options).orElse(null);
        if (given.externalKey().isPresent() && given.payload().size() > 0) {
            e.payloadHash = Hashes.sha256(given.payload().bytes());
            queue.indexEquivalent(e, equivalenceIndex(e.given, e.payloadHash));
        }
        given.address().ifPresent(address -> queue.addresses.put(address, e));
        e.group = group;
        if (group != null) {
            group.joined();
        }
        queue.count(TaskState.WAITING, 1);
        before.forEach(e::follow);
        if (e.doom == null) {
            passGates(e, now);
        } else {
            cancelDoomed(e, now);
        }
        return e;
    }

    static String equivalenceIndex(NewTask given, String payloadHash) {
        return given.externalKey().orElseThrow() + '\0' + payloadHash;
    }

    /** Lets an entry that is in no list through group and due time; the key is looked at by take alone. */
    void passGates(Entry e, Instant now) {
        if (e.group != null && e.group.state == GroupInfo.State.OPEN) {
            e.group.waiting.add(e);
            move(e, TaskState.WAITING);
        } else if (e.waitsForOthers()) {
            move(e, TaskState.WAITING);
        } else if (e.due.isAfter(now)) {
            move(e, TaskState.SCHEDULED);
        } else {
            e.queue.ready.add(e);
            move(e, TaskState.READY);
            news.ready(e.queue);
        }
    }

    // Take

    /** Leases the next entry that matches, or null. What is met behind a busy key is parked, once. */
    @Nullable
    Entry takeNext(MemoryQueue queue, TakeRequest request, @Nullable MemorySession session, Instant now) {
        Entry e = queue.ready.poll(request);
        while (e != null && !queue.enterKey(e)) {
            move(e, TaskState.WAITING);
            e = queue.ready.poll(request);
        }
        if (e != null) {
            lease(e, request, session, now);
        }
        return e;
    }

    private void lease(Entry e, TakeRequest request, @Nullable MemorySession session, Instant now) {
        Duration ttr = request.ttr().orElse(e.ttr);
        if (ttr == null && session == null) {
            ttr = TaskLimits.TTR_WITHOUT_SESSION;
        }
        e.attempts++;
        e.nonce = random.nextLong();
        e.takenAt = now;
        e.leaseUntil = ttr == null ? null : now.plus(ttr);
        e.session = session;
        if (session != null) {
            session.held.append(e);
        }
        e.queue.ready.started(e);
        move(e, TaskState.TAKEN);
    }

    static TakenTask taken(Entry e) {
        return new TakenTask(e.snapshot(), Lease.of(e.id, e.nonce), Optional.ofNullable(e.leaseUntil));
    }

    /** Ends the lease without saying where the entry goes; frees its key. */
    private void unlease(Entry e) {
        if (e.session != null) {
            e.session.held.remove(e);
        }
        e.queue.ready.ended(e);
        if (e.queue.options.tenantLimit() > 0) {
            news.ready(e.queue);
        }
        e.queue.leaveKey(e);
        promoteNext(e);
    }

    /** The key of {@code e} may have become free: the best of those who wait behind it is ready. */
    private void promoteNext(Entry e) {
        Entry next = e.queue.pollBehindFreeKey(e);
        if (next != null) {
            e.queue.ready.add(next);
            move(next, TaskState.READY);
            news.ready(e.queue);
        }
    }

    private void forgetLease(Entry e) {
        e.nonce = 0;
        e.takenAt = null;
        e.leaseUntil = null;
        e.revokeAt = null;
        e.session = null;
        e.cancelRequested = false;
        e.chunk = 0;
    }

    // Settle

    SettleResult settle(Entry e, Settle settle, Instant now) {
        long nonce = settle.lease().nonce();
        SettledBy by = SettledBy.of(settle);
        if (!e.isHeldUnder(nonce)) {
            return e.wasSettled(nonce, by) ? SettleResult.already(e.queue.name, e.state) : SettleResult.gone();
        }
        Transition verdict = Transition.settled(settle, delivery(e), now, random.nextDouble());
        e.settledNonce = nonce;
        e.settledBy = by;
        if (!e.cancelRequested) {
            keepWords(e, settle);
        }
        if (verdict.charge() == Transition.Charge.UNDO_ATTEMPT) {
            e.rememberGivenBack();
        }
        carryOut(verdict, e, by, settle.message(), settle.thrown(), now);
        return SettleResult.done(e.queue.name, e.state);
    }

    /** What the holder said stays with the task; a release and a give-back say nothing. */
    private static void keepWords(Entry e, Settle settle) {
        if (settle instanceof Settle.Release || settle instanceof Settle.GiveBack) {
            return;
        }
        e.message = settle.message().isEmpty() ? null : settle.message();
        e.errorCode = settle instanceof Settle.Fail fail ? fail.failureCode() : 0;
        e.result = settle instanceof Settle.Ack ack ? ack.result().orElse(null) : null;
    }

    private static LeasedTask delivery(Entry e) {
        MemoryGroup group = e.group;
        return new LeasedTask(
                e.queue.options,
                e.failures,
                e.losses,
                e.due,
                Optional.ofNullable(e.expires),
                e.given.deadOf().isPresent(),
                e.cancelRequested,
                group == null ? Optional.empty() : Optional.of(group.onFailure),
                isUnwanted(e));
    }

    /** Whether the entry's group was canceled, so that only its running tasks may still end well. */
    private static boolean isUnwanted(Entry e) {
        return e.group != null && e.group.state == GroupInfo.State.CANCELING;
    }

    /** The holder is gone or too slow: the attempt is lost and charged as such. */
    void lose(Entry e, String why, Instant now) {
        e.message = why;
        e.errorCode = 0;
        carryOut(Transition.lost(delivery(e), now), e, SettledBy.NOTHING, why, Optional.empty(), now);
    }

    /** An operator takes the lease away; nobody is to blame. */
    void revoke(Entry e, Instant now) {
        carryOut(
                Transition.revoked(delivery(e), now),
                e,
                SettledBy.NOTHING,
                "released by an operator",
                Optional.empty(),
                now);
    }

    private void carryOut(
            Transition verdict, Entry e, SettledBy by, String words, Optional<Thrown> thrown, Instant now) {
        charge(verdict.charge(), e);
        verdict.attempt()
                .ifPresent(outcome -> e.remember(
                        by, outcome, words, thrown, now, verdict.nextDue().orElse(null)));
        MemoryGroup group = e.group;
        switch (verdict.way()) {
            case BACK -> {
                unlease(e);
                forgetLease(e);
                e.previousDue = verdict.dueMoved() ? verdict.dueBefore(e.due, now) : e.previousDue;
                e.due = verdict.due();
                e.expires = verdict.expires().orElse(null);
                passGates(e, now);
            }
            case FAILED_WITH_DEAD_RUN -> {
                NewTask deadRun = e.given.deadRun(e.id, e.priority);
                endLease(e, TaskState.FAILED, now);
                unasked.put(deadRun, now);
            }
            case FAILED_WITH_GROUP -> {
                if (group != null) {
                    cancelRest(group, GroupInfo.State.FAILED, "task " + e.id + " failed the group", now);
                }
                endLease(e, TaskState.FAILED, now);
            }
            case DONE -> {
                if (e.given.isPublication()) {
                    fanOut(e, now);
                }
                endLease(e, TaskState.DONE, now);
            }
            default -> endLease(e, verdict.way().state(), now);
        }
    }

    private void fanOut(Entry e, Instant now) {
        List<Subscription> wanting = subscriptions.wanting(e.given);
        wanting.forEach(subscription -> unasked.put(e.given.copyFor(subscription, e.id, e.priority), now));
        e.message = FanOut.message(wanting.size());
    }

    private static void charge(Transition.Charge charge, Entry e) {
        switch (charge) {
            case FAILURE -> e.failures++;
            case LOSS -> e.losses++;
            case RELEASE -> e.releases++;
            case UNDO_ATTEMPT -> e.attempts--;
            case NOTHING -> {}
        }
    }

    // Out

    private void endLease(Entry e, TaskState state, Instant now) {
        unlease(e);
        forgetLease(e);
        end(e, state, now);
    }

    /** Brings an entry that is in no list to BURIED or to a finished state. */
    private void end(Entry e, TaskState state, Instant now) {
        e.given.address().ifPresent(address -> e.queue.addresses.remove(address, e));
        if (state == TaskState.BURIED) {
            e.queue.buried.add(e);
            move(e, state);
        } else {
            finish(e, state, now);
        }
        MemoryGroup group = e.group;
        if (group == null) {
            return;
        }
        if (state.isFailure() && group.onFailure == GroupSpec.OnFailure.CANCEL_GROUP) {
            cancelRest(group, GroupInfo.State.FAILED, "task " + e.id + " ended as " + state, now);
        }
        letFollow(e, now);
        endIfOver(group, now);
    }

    /** Those that wait for an entry that has ended go on, or end with it. Not by recursion: a chain may be long. */
    private void letFollow(Entry ended, Instant now) {
        justEnded.add(ended);
        if (justEnded.size() > 1) {
            return; // somebody further up is at it
        }
        for (Entry before = ended; before != null; before = justEnded.peek()) {
            for (Entry follower : before.takeFollowers()) {
                follower.beforeEnded(before);
                goOnAfterOthers(follower, now);
            }
            justEnded.remove();
        }
    }

    /** One that waits for its group as well is let through when that is started; a buried one when it is kicked. */
    private void goOnAfterOthers(Entry e, Instant now) {
        if (e.state != TaskState.WAITING) {
            return;
        }
        if (e.doom != null) {
            unlink(e);
            cancelDoomed(e, now);
        } else if (!e.waitsForOthers() && e.list == null) {
            passGates(e, now);
        }
    }

    private void cancelDoomed(Entry e, Instant now) {
        e.message = e.doom;
        end(e, TaskState.CANCELED, now);
        news.tellLater(TaskEvent.Kind.DELETE, e);
    }

    private void finish(Entry e, TaskState state, Instant now) {
        e.finished = now;
        if (state == TaskState.DONE && e.queue.options.retention().donePayload() == Retention.DonePayload.DROP) {
            e.given = e.given.withoutPayload();
        }
        move(e, state);
        shelf.add(e);
        if (e.queue.options.capacity() > 0) {
            news.ready(e.queue);
        }
    }

    /** Takes an entry that nobody holds out of the list it is in. */
    private void unlink(Entry e) {
        if (e.state == TaskState.READY) {
            e.queue.ready.remove(e);
            promoteNext(e);
        } else if (e.list != null) {
            e.list.remove(e);
        }
    }

    // By operators and by time

    /** Ends a live entry from any state. */
    void drop(Entry e, TaskState state, String message, Instant now) {
        e.message = message;
        e.errorCode = 0;
        if (e.state == TaskState.TAKEN) {
            e.remember(SettledBy.NOTHING, Attempt.Outcome.LOST, message, Optional.empty(), now, null);
            endLease(e, state, now);
        } else {
            unlink(e);
            end(e, state, now);
        }
    }

    /** Asks a running entry to stop; the lease is taken away when it does not. */
    void requestCancel(Entry e, String reason, Instant now) {
        e.cancelRequested = true;
        e.message = reason;
        e.revokeAt = now.plus(TaskLimits.CANCEL_GRACE);
        resetTimer(e);
    }

    void touch(Entry e, Duration by) {
        e.leaseUntil = e.leaseUntil == null ? null : e.leaseUntil.plus(by);
        e.expires = e.expires == null ? null : e.expires.plus(by);
        resetTimer(e);
    }

    void chunk(Entry e, int number) {
        if (number > e.chunk) {
            e.chunk = number;
            tellWaiters(e);
        }
    }

    /** A buried entry starts afresh: with all its attempts, in its group if that still runs. */
    void kick(Entry e, Instant now) {
        unlink(e);
        e.failures = 0;
        e.losses = 0;
        e.given.address().ifPresent(address -> e.queue.addresses.put(address, e));
        MemoryGroup group = e.group;
        if (group != null && group.state.isEnded()) {
            e.group = null;
            e.given = e.given.withoutGroup();
        }
        if (isUnwanted(e)) {
            end(e, TaskState.CANCELED, now);
        } else if (e.group != null && e.doom != null) {
            cancelDoomed(e, now);
        } else {
            passGates(e, now);
        }
    }

    /** Does what the moment of an entry demands, and tells what that was. */
    TaskEvent.Kind timeCame(Entry e, Instant now) {
        switch (e.state) {
            case SCHEDULED -> {
                passGates(e, now);
                return TaskEvent.Kind.DUE;
            }
            case TAKEN -> {
                if (e.revokeAt != null && !e.revokeAt.isAfter(now)) {
                    drop(e, TaskState.CANCELED, "canceled, and did not stop in time", now);
                    return TaskEvent.Kind.DELETE;
                }
                lose(e, "time limit reached", now);
                return TaskEvent.Kind.LOST;
            }
            default -> {
                drop(e, TaskState.EXPIRED, "time to live ran out", now);
                return TaskEvent.Kind.EXPIRE;
            }
        }
    }

    // Groups

    void start(MemoryGroup group, Instant now) {
        group.state = GroupInfo.State.STARTED;
        for (Entry e = group.waiting.first(); e != null; e = group.waiting.first()) {
            group.waiting.remove(e);
            passGates(e, now);
        }
        endIfOver(group, now);
    }

    void cancel(MemoryGroup group, String reason, Instant now) {
        cancelRest(group, GroupInfo.State.CANCELED, reason, now);
        endIfOver(group, now);
    }

    /** Drops what does not run and lets the rest end. The group itself ends when its last running task does. */
    private void cancelRest(MemoryGroup group, GroupInfo.State endsAs, String reason, Instant now) {
        if (group.state == GroupInfo.State.CANCELING || group.state.isEnded()) {
            return;
        }
        group.state = GroupInfo.State.CANCELING;
        group.endsAs = endsAs;
        for (Entry e : group.openTasks()) {
            unlink(e);
            e.message = "group canceled: " + reason;
            e.given.address().ifPresent(address -> e.queue.addresses.remove(address, e));
            finish(e, TaskState.CANCELED, now);
            news.tellLater(TaskEvent.Kind.DELETE, e);
        }
        group.inner().forEach(inner -> cancel(inner, reason, now));
    }

    /** Ends the group if nothing is left of it, and then perhaps the one it is part of. */
    void endIfOver(MemoryGroup group, Instant now) {
        if (!group.isOver()) {
            return;
        }
        boolean complete = group.state == GroupInfo.State.STARTED;
        group.state = complete ? GroupInfo.State.COMPLETED : group.endsAs;
        groups.ended(group);
        (complete ? group.end : group.abort).ifPresent(task -> group.closingTask = unasked.put(task, now));
        MemoryGroup outer = group.leaveOuter();
        if (outer != null) {
            endIfOver(outer, now);
        }
    }

    // Bookkeeping

    private void move(Entry e, TaskState to) {
        e.queue.count(e.state, -1);
        e.queue.count(to, 1);
        if (e.group != null) {
            e.group.moved(e, e.state, to);
        }
        e.state = to;
        resetTimer(e);
        if (to.isFinished() || to == TaskState.BURIED) {
            tellWaiters(e);
        }
    }

    private void tellWaiters(Entry e) {
        if (e.awaited) {
            news.add(new Notice.TaskNews(e.id));
        }
    }

    private void resetTimer(Entry e) {
        Instant at =
                switch (e.state) {
                    case SCHEDULED -> e.due;
                    case TAKEN -> earlier(e.leaseUntil, e.revokeAt);
                    case WAITING, READY, BURIED -> e.expires;
                    case DONE, FAILED, EXPIRED, CANCELED -> null;
                };
        if (at != null || e.timerAt != null) {
            timers.set(e, at);
        }
    }

    private static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.isBefore(b) ? a : b;
    }
}
