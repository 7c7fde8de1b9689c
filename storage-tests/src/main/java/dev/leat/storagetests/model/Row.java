package dev.leat.storagetests.model;

import static dev.leat.TaskState.BURIED;
import static dev.leat.TaskState.DONE;

import dev.leat.Attempt;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.Task;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueOptions.TtrDefault;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A task in the model. */
final class Row {
    long id;
    NewTask given;
    final Instant created;
    final int priority;
    final @Nullable Duration ttr;
    TaskState state;
    Instant due;

    @Nullable
    Instant previousDue;

    @Nullable
    Instant expires;

    @Nullable
    Instant finished;

    int attempts;
    int failures;
    int losses;
    int releases;
    String message = "";
    int errorCode;
    final List<Attempt> history = new ArrayList<>();

    // The lease, while TAKEN
    @Nullable
    Lease lease;

    @Nullable
    Instant takenAt;

    @Nullable
    Instant leaseUntil;

    @Nullable
    String session;

    @Nullable
    Instant stopBy;

    final Map<Lease, Settled> settled = new HashMap<>();

    Row(NewTask given, QueueOptions options, TaskState state, Instant now) {
        this.given = given;
        this.created = now;
        this.state = state;
        this.due = given.due().after(now);
        this.priority = given.priority().orElse(options.priority());
        Duration ttl = given.ttl().or(options::ttl).orElse(null);
        this.expires = ttl == null ? null : due.plus(ttl);
        this.ttr = given.ttr().or(options::ttr).orElse(options.ttrDefault() == TtrDefault.TTL ? ttl : null);
    }

    boolean isUnburied() {
        return state.isLive() && state != BURIED;
    }

    boolean isIn(ModelGroup group) {
        return given.group().orElse(0) == group.id;
    }

    boolean hasSameKeyAs(Row other) {
        return given.key().isPresent()
                && given.key().equals(other.given.key())
                && given.queue().equals(other.given.queue());
    }

    boolean cancelRequested() {
        return stopBy != null;
    }

    Task task() {
        return Task.of(id, state == DONE ? given.withoutPayload() : given, state, created, due)
                .priority(priority)
                .previousDue(previousDue)
                .expires(expires)
                .ttr(ttr)
                .counts(attempts, failures, losses, releases)
                .cancelRequested(cancelRequested())
                .message(message)
                .errorCode(errorCode)
                .finished(finished)
                .build();
    }

    record Settled(Settle settle, Instant at) {}
}
