package dev.leat.storagetests.model;

import static dev.leat.TaskState.BURIED;
import static dev.leat.TaskState.CANCELED;
import static dev.leat.TaskState.READY;
import static dev.leat.TaskState.TAKEN;
import static dev.leat.TaskState.WAITING;

import dev.leat.Attempt;
import dev.leat.GroupInfo;
import dev.leat.NewTask;
import dev.leat.TakeRequest;
import dev.leat.error.AddressInUseException;
import dev.leat.error.GroupClosedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.error.QueueFullException;
import dev.leat.error.SessionEndedException;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueOptions.PlaceBy;
import dev.leat.queue.QueueOptions.TypeFilter;
import dev.leat.queue.TakeOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a storage must do, said in the plainest way: a list of rows, scanned from end to end for every question.
 *
 * <p>Numbers in comments are those of the rules. The model gives no ids and no leases; those are the storage's to give,
 * and whoever runs the two side by side writes them into the rows.
 *
 * <p>Each class knows only those it extends: here is what callers ask for, {@link ModelTimers} is what time does, {@link
 * ModelLeases} how a lease ends, {@link ModelMoves} what a change of state entails, and {@link ModelRows} what there is.
 */
final class ReferenceModel extends ModelTimers {
    private static final Duration LIMIT_WITHOUT_SESSION = Duration.ofSeconds(60);
    private static final Duration TIME_TO_STOP = Duration.ofSeconds(10);

    ReferenceModel(Instant now) {
        super(now);
    }

    // Putting and taking

    /** Puts all or none; answers for each the new row, or the one that has its address (T14, R8). */
    List<Row> put(List<NewTask> tasks) {
        Set<Class<? extends LeatException>> refusals = new HashSet<>();
        if (tasks.stream().anyMatch(task -> !isOpenFor(task))) {
            refusals.add(GroupClosedException.class);
        }
        List<Row> before = List.copyOf(rows);
        List<Row> answers = tasks.stream().map(this::putOne).toList();
        if (answers.stream().anyMatch(row -> !before.contains(row) && isOverfull(row.given.queue()))) {
            refusals.add(QueueFullException.class);
        }
        if (!refusals.isEmpty()) {
            rows.retainAll(before);
            throw new Refused(refusals);
        }
        return answers;
    }

    private boolean isOpenFor(NewTask task) {
        ModelGroup group = groupOf(task);
        return group == null || group.state == GroupInfo.State.OPEN || group.state == GroupInfo.State.STARTED;
    }

    private boolean isOverfull(String queue) { // 6
        int capacity = queue(queue).options.capacity();
        return capacity > 0 && live(queue).count() > capacity;
    }

    private Row putOne(NewTask task) {
        Optional<Row> sameAddress = task.address().flatMap(address -> holder(task.queue(), address));
        return sameAddress.orElseGet(() -> add(task));
    }

    /** Hands out the best ready rows, one per key; what it meets of a busy key it parks as WAITING (3, 4). */
    List<Row> take(TakeRequest request) {
        ModelQueue queue = queue(request.queue());
        checkDeclared(request, queue.options);
        request.session().map(sessions::get).filter(s -> s.ended).ifPresent(s -> {
            throw new Refused(SessionEndedException.class);
        });
        List<Row> taken = new ArrayList<>();
        if (queue.paused) {
            return taken;
        }
        for (Row row : inTakeOrder(request, queue.options)) {
            if (taken.size() == request.count()) {
                break;
            }
            if (isKeyBusy(row)) {
                row.state = WAITING;
            } else {
                deliver(row, request);
                taken.add(row);
            }
        }
        return taken;
    }

    private static void checkDeclared(TakeRequest request, QueueOptions options) {
        if (!options.takeOrders().contains(request.order())) {
            throw new Refused(InvalidRequestException.class);
        }
        if (request.types().isPresent() && options.typeFilter() == TypeFilter.OFF) {
            throw new Refused(InvalidRequestException.class);
        }
    }

    private List<Row> inTakeOrder(TakeRequest request, QueueOptions options) {
        Comparator<Row> place = place(options);
        if (request.order() == TakeOrder.newest()) {
            place = place.reversed();
        }
        return live(request.queue())
                .filter(r -> r.state == READY && r.priority <= request.maxPriority())
                .filter(r -> request.types().isEmpty()
                        || r.given
                                .type()
                                .filter(request.types().get()::contains)
                                .isPresent())
                .sorted(Comparator.<Row>comparingInt(r -> r.priority).thenComparing(place))
                .toList();
    }

    private static Comparator<Row> place(QueueOptions options) { // 1
        Comparator<Row> byId = Comparator.comparingLong(r -> r.id);
        return options.placeBy() == PlaceBy.ID
                ? byId
                : Comparator.<Row, Instant>comparing(r -> r.due).thenComparing(byId);
    }

    private void deliver(Row row, TakeRequest request) {
        row.state = TAKEN;
        row.attempts++;
        row.takenAt = now;
        row.session = request.session().orElse(null);
        Duration own = row.session == null && row.ttr == null ? LIMIT_WITHOUT_SESSION : row.ttr; // 7
        Duration limit = request.ttr().orElse(own);
        row.leaseUntil = limit == null ? null : now.plus(limit);
    }

    // What operators do

    /** Frees the best buried rows whose address is free (16). */
    List<Row> kick(String queue, int count) {
        List<Row> kicked = new ArrayList<>();
        List<Row> buried = live(queue)
                .filter(r -> r.state == BURIED)
                .sorted(BY_PRIORITY_AND_ID)
                .toList();
        for (Row row : buried) {
            if (kicked.size() < count && !isAddressTaken(row)) {
                dig(row);
                kicked.add(row);
            }
        }
        closeGroups();
        return kicked;
    }

    void kick(Row row) {
        if (row.state == BURIED) {
            if (isAddressTaken(row)) {
                throw new Refused(AddressInUseException.class);
            }
            dig(row);
            closeGroups();
        }
    }

    private boolean isAddressTaken(Row row) {
        return row.given.address().flatMap(a -> holder(row.given.queue(), a)).isPresent();
    }

    private void dig(Row row) {
        row.failures = 0;
        row.losses = 0;
        ModelGroup group = groupOf(row.given);
        if (group != null && group.state.isEnded()) {
            row.given = row.given.withoutGroup();
            group.failedAndGone++;
        }
        if (isCanceling(row)) {
            end(row, CANCELED);
        } else {
            move(row, gate(row));
        }
    }

    void delete(Row row) {
        if (row.state.isLive()) {
            revoke(row);
            end(row, CANCELED);
            closeGroups();
        }
    }

    /** Asks a running task to stop; ends any other (11). */
    void cancel(Row row, String reason) {
        if (row.state == TAKEN) {
            row.stopBy = row.stopBy == null ? now.plus(TIME_TO_STOP) : row.stopBy;
            say(row, ANY_WORDS, ANY_CODE);
        } else if (row.state.isLive()) {
            finish(row, CANCELED, reason, ANY_CODE);
            closeGroups();
        }
    }

    void bury(long id, String message) {
        Row row = row(id);
        if (row.isUnburied()) {
            revoke(row);
            bury(row, message, ANY_CODE);
            closeGroups();
        }
    }

    void pause(String queue) {
        queue(queue).paused = true;
    }

    void resume(String queue) {
        queue(queue).paused = false;
    }

    long truncate(String queue) {
        List<Row> all = live(queue).toList();
        all.forEach(this::delete);
        return all.size();
    }

    long releaseAll(String queue) {
        List<Row> taken = live(queue).filter(r -> r.state == TAKEN).toList();
        inAnyOrder(taken, () -> taken.forEach(this::takeBack));
        closeGroups();
        return taken.size();
    }

    private void takeBack(Row row) {
        row.releases++;
        record(row, Attempt.Outcome.LOST);
        comeBack(row, null);
    }
}
