package dev.leat.internal.memory;

import dev.leat.Attempt;
import dev.leat.GroupInfo;
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
import dev.leat.storage.EquivalenceHash;
import dev.leat.storage.FanOut;
import dev.leat.storage.Gate;
import dev.leat.storage.GroupRules;
import dev.leat.storage.HolderReport;
import dev.leat.storage.LeasedTask;
import dev.leat.storage.Notice;
import dev.leat.storage.Reasons;
import dev.leat.storage.SettledBy;
import dev.leat.storage.TaskLimits;
import dev.leat.storage.TaskStatus;
import dev.leat.storage.TaskTimer;
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
 * Moves entries between the states of a task: through the gates, into a lease, out of the lease, to an end.
 *
 * <p>Every change of state goes through {@link #move}, which updates the counts of queue and group and the entry's timer. Guarded by the
 * storage's lock.
 */
final class EntryLifecycle {
    /** Puts end, abort and dead tasks and copies of publications. */
    interface FollowUps {
        long put(NewTask task, Instant now);
    }

    private final Timers timers;
    private final FinishedEntries finished;
    private final PendingNotices notices;
    private final MemoryGroups groups;
    private final SubscriptionTable subscriptions;
    private final FollowUps followUps;
    private final SplittableRandom random;
    /** Ended entries whose followers were not handled yet. */
    private final Deque<Entry> justEnded = new ArrayDeque<>();

    EntryLifecycle(
            Timers timers,
            FinishedEntries finished,
            PendingNotices notices,
            MemoryGroups groups,
            SubscriptionTable subscriptions,
            FollowUps followUps,
            SplittableRandom random) {
        this.subscriptions = subscriptions;
        this.timers = timers;
        this.finished = finished;
        this.notices = notices;
        this.groups = groups;
        this.followUps = followUps;
        this.random = random;
    }

    // In

    /**
     * Makes an entry and lets it pass its gates.
     *
     * @param before the entries that the new one comes after
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
        e.payloadHash = EquivalenceHash.ofPayload(given);
        if (e.payloadHash != null) {
            queue.indexEquivalent(e, equivalenceIndex(e.given, e.payloadHash));
        }
        given.address().ifPresent(address -> queue.addresses.put(address, e));
        e.group = group;
        if (group != null) {
            group.joined();
        }
        queue.count(TaskState.WAITING, 1);
        before.forEach(e::follow);
        if (e.predecessorFailure == null) {
            passGates(e, now);
        } else {
            cancelAfterPredecessor(e, now);
        }
        return e;
    }

    static String equivalenceIndex(NewTask given, String payloadHash) {
        return given.externalKey().orElseThrow() + '\0' + payloadHash;
    }

    /** Moves an entry that is in no list to its first closed gate, or to READY. */
    void passGates(Entry e, Instant now) {
        MemoryGroup group = e.group;
        Gate gate = Gate.firstClosed(group == null ? null : group.state, e.waitsForOthers(), !e.due.isAfter(now));
        if (gate == Gate.GROUP && group != null) {
            group.waiting.add(e);
        } else if (gate == Gate.NONE) {
            e.queue.ready.add(e);
            notices.ready(e.queue);
        }
        move(e, gate.state);
    }

    // Take

    /** Leases the next entry that matches; null if none does. Entries behind a busy key become WAITING, once. */
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
        Duration ttr = TaskLimits.ttrOfLease(request, e.ttr);
        e.counts = e.counts.taken();
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

    /** Ends the lease and frees the key; the caller moves the entry to its next state. */
    private void unlease(Entry e) {
        if (e.session != null) {
            e.session.held.remove(e);
        }
        e.queue.ready.ended(e);
        if (e.queue.options.tenantLimit() > 0) {
            notices.ready(e.queue);
        }
        e.queue.leaveKey(e);
        promoteNext(e);
    }

    /** If the key of {@code e} is free, moves the best entry that waits for it to READY. */
    private void promoteNext(Entry e) {
        Entry next = e.queue.pollBehindFreeKey(e);
        if (next != null) {
            e.queue.ready.add(next);
            move(next, TaskState.READY);
            notices.ready(e.queue);
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
        Transition transition = Transition.settled(settle, delivery(e), now, random.nextDouble());
        e.settledNonce = nonce;
        e.settledBy = by;
        HolderReport.of(settle, e.cancelRequested).ifPresent(e::report);
        if (transition.charge() == Transition.Charge.UNDO_ATTEMPT) {
            e.rememberGivenBack();
        }
        carryOut(transition, e, by, settle.message(), settle.thrown(), now);
        return SettleResult.done(e.queue.name, e.state);
    }

    private static LeasedTask delivery(Entry e) {
        MemoryGroup group = e.group;
        return new LeasedTask(
                e.queue.options,
                e.counts.failures(),
                e.counts.losses(),
                e.due,
                Optional.ofNullable(e.expires),
                e.given.deadOf().isPresent(),
                e.cancelRequested,
                group == null ? Optional.empty() : Optional.of(group.onFailure),
                isUnwanted(e));
    }

    private static boolean isUnwanted(Entry e) {
        return e.group != null && GroupRules.isCanceling(e.group.state);
    }

    /** Ends the lease of a holder that is gone or too slow, and charges a loss. */
    void lose(Entry e, String why, Instant now) {
        e.message = why;
        e.errorCode = 0;
        carryOut(Transition.lost(delivery(e), now), e, SettledBy.NOTHING, why, Optional.empty(), now);
    }

    /** Ends the lease for an operator, without a charge. */
    void revoke(Entry e, Instant now) {
        carryOut(
                Transition.revoked(delivery(e), now),
                e,
                SettledBy.NOTHING,
                Reasons.RELEASED_BY_OPERATOR,
                Optional.empty(),
                now);
    }

    private void carryOut(
            Transition transition, Entry e, SettledBy by, String message, Optional<Thrown> thrown, Instant now) {
        e.counts = e.counts.charged(transition.charge());
        transition
                .attempt()
                .ifPresent(outcome -> e.remember(
                        by, outcome, message, thrown, now, transition.nextDue().orElse(null)));
        MemoryGroup group = e.group;
        switch (transition.way()) {
            case BACK -> {
                unlease(e);
                forgetLease(e);
                e.previousDue = transition.dueMoved() ? transition.dueBefore(e.due, now) : e.previousDue;
                e.due = transition.due();
                e.expires = transition.expires().orElse(null);
                passGates(e, now);
            }
            case FAILED_WITH_DEAD_RUN -> {
                NewTask deadRun = e.given.deadRun(e.id, e.priority);
                endLease(e, TaskState.FAILED, now);
                followUps.put(deadRun, now);
            }
            case FAILED_WITH_GROUP -> {
                if (group != null) {
                    cancelRest(group, GroupInfo.State.FAILED, GroupRules.whyFailed(e.id), now);
                }
                endLease(e, TaskState.FAILED, now);
            }
            case DONE -> {
                if (e.given.isPublication()) {
                    fanOut(e, now);
                }
                endLease(e, TaskState.DONE, now);
            }
            default -> endLease(e, transition.way().state(), now);
        }
    }

    private void fanOut(Entry e, Instant now) {
        List<Subscription> wanting = subscriptions.wanting(e.given);
        wanting.forEach(subscription -> followUps.put(e.given.copyFor(subscription, e.id, e.priority), now));
        e.message = FanOut.message(wanting.size());
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
        GroupRules.whyCanceled(group.onFailure, e.id, state)
                .ifPresent(why -> cancelRest(group, GroupInfo.State.FAILED, why, now));
        letFollow(e, now);
        endIfOver(group, now);
    }

    /** Lets the followers of an ended entry go on, or cancels them. Uses a queue instead of recursion, because chains may be long. */
    private void letFollow(Entry ended, Instant now) {
        justEnded.add(ended);
        if (justEnded.size() > 1) {
            return; // a caller up the stack handles the queue
        }
        for (Entry before = ended; before != null; before = justEnded.peek()) {
            for (Entry follower : before.takeFollowers()) {
                follower.beforeEnded(before);
                goOnAfterOthers(follower, now);
            }
            justEnded.remove();
        }
    }

    /** Skips entries whose group is not started, and buried entries: the start and the kick test all gates. */
    private void goOnAfterOthers(Entry e, Instant now) {
        if (e.state != TaskState.WAITING) {
            return;
        }
        if (e.predecessorFailure != null) {
            unlink(e);
            cancelAfterPredecessor(e, now);
        } else if (!e.waitsForOthers() && e.list == null) {
            passGates(e, now);
        }
    }

    private void cancelAfterPredecessor(Entry e, Instant now) {
        e.message = e.predecessorFailure;
        end(e, TaskState.CANCELED, now);
        notices.addEvent(TaskEvent.Kind.DELETE, e);
    }

    private void finish(Entry e, TaskState state, Instant now) {
        e.finished = now;
        if (state == TaskState.DONE && e.queue.options.retention().donePayload() == Retention.DonePayload.DROP) {
            e.given = e.given.withoutPayload();
        }
        move(e, state);
        finished.add(e);
        if (e.queue.options.capacity() > 0) {
            notices.ready(e.queue);
        }
    }

    /** Takes an entry without a lease out of its list. */
    private void unlink(Entry e) {
        if (e.state == TaskState.READY) {
            e.queue.ready.remove(e);
            promoteNext(e);
        } else if (e.list != null) {
            e.list.remove(e);
        }
    }

    // Operators and timers

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

    /** Asks the holder to stop; after the grace the timer revokes the lease. */
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
            notifyWaiters(e);
        }
    }

    /** Moves a buried entry through all gates again; outside of its group if the group has ended (rule 16). */
    void kick(Entry e, Instant now) {
        unlink(e);
        e.counts = e.counts.kicked();
        e.given.address().ifPresent(address -> e.queue.addresses.put(address, e));
        MemoryGroup group = e.group;
        if (group != null && group.state.isEnded()) {
            e.group = null;
            e.given = e.given.withoutGroup();
        }
        if (isUnwanted(e)) {
            end(e, TaskState.CANCELED, now);
        } else if (e.group != null && e.predecessorFailure != null) {
            cancelAfterPredecessor(e, now);
        } else {
            passGates(e, now);
        }
    }

    /** Changes an entry whose timer has fired. */
    TaskEvent.Kind timerFired(Entry e, Instant now) {
        TaskTimer.Change change = TaskTimer.Change.of(e.state, e.revokeAt != null && !e.revokeAt.isAfter(now));
        switch (change) {
            case PROMOTE -> passGates(e, now);
            case REVOKE -> drop(e, TaskState.CANCELED, Reasons.CANCEL_GRACE_OVER, now);
            case LOSE -> lose(e, Reasons.TIME_LIMIT_REACHED, now);
            case EXPIRE -> drop(e, TaskState.EXPIRED, Reasons.TIME_TO_LIVE_OVER, now);
        }
        return change.event;
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

    /** Cancels the tasks that do not run. The group ends when its last running task ends. */
    private void cancelRest(MemoryGroup group, GroupInfo.State endsAs, String reason, Instant now) {
        if (!GroupRules.takesTasks(group.state)) {
            return;
        }
        group.state = GroupInfo.State.CANCELING;
        group.endsAs = endsAs;
        for (Entry e : group.openTasks()) {
            unlink(e);
            e.message = Reasons.groupCanceled(reason);
            e.given.address().ifPresent(address -> e.queue.addresses.remove(address, e));
            finish(e, TaskState.CANCELED, now);
            notices.addEvent(TaskEvent.Kind.DELETE, e);
        }
        group.inner().forEach(inner -> cancel(inner, reason, now));
    }

    /** Ends the group if no work is left, and then its outer group in the same way. */
    void endIfOver(MemoryGroup group, Instant now) {
        if (!group.isOver()) {
            return;
        }
        group.state = GroupRules.endOf(group.state, group.endsAs);
        groups.ended(group);
        GroupRules.closingTask(group.state, group.end, group.abort)
                .ifPresent(task -> group.closingTask = followUps.put(task, now));
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
        if (TaskStatus.hasEnded(to)) {
            notifyWaiters(e);
        }
    }

    private void notifyWaiters(Entry e) {
        if (e.awaited) {
            notices.add(new Notice.TaskNews(e.id));
        }
    }

    private void resetTimer(Entry e) {
        Instant at =
                switch (TaskTimer.of(e.state)) {
                    case DUE_TIME -> e.due;
                    case LEASE -> earlier(e.leaseUntil, e.revokeAt);
                    case TIME_TO_LIVE -> e.expires;
                    case NONE -> null;
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
