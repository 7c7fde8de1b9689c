package dev.leat.testkit.contract.model;

import static dev.leat.TaskState.BURIED;
import static dev.leat.TaskState.CANCELED;
import static dev.leat.TaskState.DONE;
import static dev.leat.TaskState.EXPIRED;
import static dev.leat.TaskState.FAILED;
import static dev.leat.TaskState.READY;
import static dev.leat.TaskState.SCHEDULED;
import static dev.leat.TaskState.TAKEN;
import static dev.leat.TaskState.WAITING;

import dev.leat.AddressInUseException;
import dev.leat.Attempt;
import dev.leat.Exhaustion;
import dev.leat.GroupClosedException;
import dev.leat.GroupExistsException;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.InvalidRequestException;
import dev.leat.Lease;
import dev.leat.LeatException;
import dev.leat.NewTask;
import dev.leat.QueueFullException;
import dev.leat.QueueOptions;
import dev.leat.QueueOptions.PlaceBy;
import dev.leat.QueueOptions.TtrDefault;
import dev.leat.QueueOptions.TypeFilter;
import dev.leat.SessionEndedException;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeOrder;
import dev.leat.TakeRequest;
import dev.leat.Task;
import dev.leat.TaskState;
import dev.leat.Touch;
import dev.leat.storage.Sweep;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a storage must do, said in the plainest way: a list of rows, scanned from end to end for every question.
 *
 * <p>Numbers in comments are those of the rules. The model gives no ids and no leases; those are the storage's to give,
 * and whoever runs the two side by side writes them into the rows. Where the rules leave the words to the storage, the
 * message is {@link #ANY_WORDS} and the code {@link #ANY_CODE}.
 */
final class ReferenceModel {
    static final String ANY_WORDS = "(whatever the storage says)";
    static final int ANY_CODE = -1;

    private static final Comparator<Row> BY_PRIORITY_AND_ID =
            Comparator.<Row>comparingInt(r -> r.priority).thenComparingLong(r -> r.id);
    private static final Duration LIMIT_WITHOUT_SESSION = Duration.ofSeconds(60);
    private static final Duration TIME_TO_STOP = Duration.ofSeconds(10);
    private static final Duration SETTLES_KNOWN_FOR = Duration.ofMinutes(5);

    final Map<String, Queue> queues = new LinkedHashMap<>();
    final List<Row> rows = new ArrayList<>();
    final List<Group> groups = new ArrayList<>();
    final Map<String, Session> sessions = new LinkedHashMap<>();
    private Instant now;
    /** What the call that is going on changes, in whatever order. */
    private final Set<Row> together = new HashSet<>();

    private boolean undecided;

    ReferenceModel(Instant now) {
        this.now = now;
    }

    /** What the storage must refuse, for one of these reasons. */
    static final class Refused extends RuntimeException {
        private final Set<Class<? extends LeatException>> reasons;

        Refused(Set<Class<? extends LeatException>> reasons) {
            this.reasons = reasons;
        }

        Refused(Class<? extends LeatException> reason) {
            this(Set.of(reason));
        }

        Set<Class<? extends LeatException>> reasons() {
            return reasons;
        }
    }

    static final class Queue {
        final QueueOptions options;
        boolean paused;

        Queue(QueueOptions options) {
            this.options = options;
        }
    }

    /** One task. */
    static final class Row {
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

        boolean isIn(Group group) {
            return given.group().orElse(0) == group.id;
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
    }

    record Settled(Settle settle, Instant at) {}

    static final class Group {
        long id;
        final GroupSpec spec;
        GroupInfo.State state = GroupInfo.State.OPEN;
        GroupInfo.State endsAs = GroupInfo.State.COMPLETED;
        /** Members that were buried when it ended, and kicked later. */
        int failedAndGone;

        @Nullable
        Row closing;

        Group(GroupSpec spec) {
            this.spec = spec;
        }
    }

    static final class Session {
        final SessionSpec spec;
        Instant heard;

        @Nullable
        Instant disconnected;

        boolean ended;

        Session(SessionSpec spec, Instant now) {
            this.spec = spec;
            this.heard = now;
        }

        Instant ends() {
            return disconnected == null ? heard.plus(spec.deadAfter()) : disconnected.plus(spec.grace());
        }

        /** Silence is only believed of a sweeper who has listened all the time (12); a disconnect was told. */
        boolean mayEnd(Sweep.Sessions silent) {
            return !ended && (disconnected != null || silent == Sweep.Sessions.END_SILENT);
        }
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
        Group group = groupOf(task);
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

    private Row add(NewTask task) {
        Row row = new Row(task, options(task), READY, now);
        row.state = gate(row);
        rows.add(row);
        return row;
    }

    Optional<Row> holder(String queue, String address) {
        return live(queue)
                .filter(r -> r.isUnburied() && r.given.address().equals(Optional.of(address)))
                .findFirst();
    }

    /**
     * The state of a row that is back from wherever it was (2). A key closes no gate here: only a take parks (3).
     */
    private TaskState gate(Row row) {
        Group group = groupOf(row.given);
        if (group != null && group.state == GroupInfo.State.OPEN) {
            return WAITING;
        }
        return row.due.isAfter(now) ? SCHEDULED : READY;
    }

    /** Hands out the best ready rows, one per key; what it meets of a busy key it parks as WAITING (3, 4). */
    List<Row> take(TakeRequest request) {
        Queue queue = queue(request.queue());
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

    // Settling

    /** Empty when the settle is too old to be surely known: ALREADY or GONE, as the storage likes (9). */
    Optional<SettleResult> settle(Settle settle) {
        Row row = row(settle.lease().taskId());
        if (!settle.lease().equals(row.lease)) {
            return settledBefore(row, settle);
        }
        row.settled.put(settle.lease(), new Settled(settle, now));
        if (row.cancelRequested()) {
            end(row, CANCELED); // 11
        } else {
            apply(settle, row);
        }
        TaskState state = row.state;
        closeGroups();
        return Optional.of(SettleResult.done(row.given.queue(), state));
    }

    private Optional<SettleResult> settledBefore(Row row, Settle settle) {
        Settled before = row.settled.get(settle.lease());
        if (before == null || before.settle.getClass() != settle.getClass()) {
            return Optional.of(SettleResult.gone());
        }
        boolean surelyKnown = before.settle.equals(settle) && now.isBefore(before.at.plus(SETTLES_KNOWN_FOR));
        return surelyKnown ? Optional.of(SettleResult.already(row.given.queue(), row.state)) : Optional.empty();
    }

    private void apply(Settle settle, Row row) {
        if (settle instanceof Settle.Ack ack) {
            finish(row, DONE, ack.message(), 0);
        } else if (settle instanceof Settle.Fail fail) {
            Instant due = options(row.given).retry().nextDue(row.failures + 1, row.due, now, 0);
            charge(row, fail.message(), fail.code(), due);
        } else if (settle instanceof Settle.Retry retry) {
            charge(row, retry.message(), 0, retry.due().after(now));
        } else if (settle instanceof Settle.Release release) {
            row.releases++;
            record(row, Attempt.Outcome.RELEASED);
            comeBack(row, release.delay().isZero() ? null : now.plus(release.delay()));
        } else if (settle instanceof Settle.Bury bury) {
            record(row, Attempt.Outcome.BURIED);
            if (isCanceling(row)) {
                end(row, CANCELED);
            } else {
                bury(row, bury.message(), ANY_CODE);
            }
        } else {
            row.attempts--;
            comeBack(row, null);
        }
    }

    private void charge(Row row, String message, int code, Instant due) {
        row.failures++;
        say(row, message, code);
        record(row, Attempt.Outcome.FAILED);
        exhaustOrComeBack(row, due);
    }

    /** The lease is lost by a crash, a disconnect or the time limit. */
    private void lose(Row row) {
        row.losses++;
        say(row, ANY_WORDS, ANY_CODE);
        record(row, Attempt.Outcome.LOST);
        exhaustOrComeBack(row, now);
    }

    /** Exhaustion is looked at before the time to live. */
    private void exhaustOrComeBack(Row row, Instant due) {
        if (isExhausted(row)) {
            exhaust(row);
        } else {
            comeBack(row, due);
        }
    }

    /** Back through the gates, unless nobody wants it any more or it is too late; with a due time, at that time. */
    private void comeBack(Row row, @Nullable Instant due) {
        if (isUnwanted(row)) {
            end(row, CANCELED);
        } else if (hasCome(row.expires)) {
            end(row, EXPIRED); // 5
        } else {
            if (due != null) {
                postpone(row, due);
            }
            move(row, gate(row));
        }
    }

    /** The wait extends the time to live (T29). */
    private void postpone(Row row, Instant due) {
        row.previousDue = row.due;
        row.due = due;
        if (due.isAfter(now)) {
            extendTtl(row, Duration.between(now, due));
        }
    }

    private static void extendTtl(Row row, Duration by) {
        if (row.expires != null) {
            row.expires = row.expires.plus(by);
        }
    }

    private boolean isExhausted(Row row) { // 10
        return options(row.given).retry().exhausted(row.failures, row.losses) && !isUnwanted(row);
    }

    private void exhaust(Row row) {
        Exhaustion exhaustion = options(row.given).exhaustion();
        boolean deadRun = row.given.deadOf().isPresent();
        if (exhaustion == Exhaustion.BURY || (exhaustion == Exhaustion.DEAD_HANDLER && deadRun)) {
            bury(row, row.message, row.errorCode);
            return;
        }
        finish(row, FAILED, row.message, row.errorCode);
        if (exhaustion == Exhaustion.DEAD_HANDLER) {
            add(row.given.deadRun(row.id, row.priority));
        }
    }

    private void record(Row row, Attempt.Outcome outcome) {
        row.history.add(new Attempt(
                row.attempts,
                row.takenAt == null ? now : row.takenAt,
                now,
                outcome,
                row.message,
                Optional.ofNullable(row.session),
                Optional.empty()));
    }

    /** Moves deadline and time to live; nothing without a deadline (8). */
    Touch.Result touch(Touch touch) {
        Row row = row(touch.lease().taskId());
        if (!touch.lease().equals(row.lease)) {
            return Touch.Result.gone();
        }
        if (row.leaseUntil == null) {
            return Touch.Result.unlimited(row.given.queue());
        }
        row.leaseUntil = row.leaseUntil.plus(touch.by());
        extendTtl(row, touch.by());
        return Touch.Result.extended(row.given.queue(), row.leaseUntil);
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
        Group group = groupOf(row.given);
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

    /** An operator takes the lease away, if there is one. */
    private void revoke(Row row) {
        if (row.state == TAKEN) {
            record(row, Attempt.Outcome.LOST);
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

    // Moving rows: every change of state but those of take comes through here

    private void end(Row row, TaskState state) {
        finish(row, state, ANY_WORDS, ANY_CODE);
    }

    private void finish(Row row, TaskState state, String message, int code) {
        say(row, message, code);
        row.finished = now;
        move(row, state);
        failGroup(row);
    }

    private void bury(Row row, String message, int code) {
        say(row, message, code);
        move(row, BURIED);
        failGroup(row);
    }

    private static void say(Row row, String message, int code) {
        row.message = message;
        row.errorCode = code;
    }

    /** Whoever gives up a free key, or the turn for it, passes it on (3). */
    private void move(Row row, TaskState to) {
        boolean hadTheTurn = row.state == TAKEN || row.state == READY;
        row.state = to;
        row.lease = null;
        row.takenAt = null;
        row.leaseUntil = null;
        row.session = null;
        row.stopBy = null;
        if (hadTheTurn && !isKeyBusy(row)) {
            passKeyOn(row);
        }
    }

    private void passKeyOn(Row from) {
        rows.stream()
                .filter(r -> r.state == WAITING && gate(r) != WAITING && isSameKey(r, from))
                .min(BY_PRIORITY_AND_ID)
                .ifPresent(r -> r.state = READY);
    }

    private boolean isKeyBusy(Row row) {
        return rows.stream().anyMatch(r -> r.state == TAKEN && isSameKey(r, row));
    }

    private static boolean isSameKey(Row a, Row b) {
        return a.given.key().isPresent()
                && a.given.key().equals(b.given.key())
                && a.given.queue().equals(b.given.queue());
    }

    // Groups

    Group createGroup(GroupSpec spec) {
        if (groups.stream().anyMatch(g -> g.spec.name().equals(spec.name()) && !g.state.isEnded())) {
            throw new Refused(GroupExistsException.class);
        }
        Group group = new Group(spec);
        groups.add(group);
        return group;
    }

    Group start(Group group) {
        if (group.state == GroupInfo.State.STARTED) {
            return group;
        }
        if (group.state != GroupInfo.State.OPEN) {
            throw new Refused(GroupClosedException.class);
        }
        group.state = GroupInfo.State.STARTED;
        members(group).filter(r -> r.state == WAITING).forEach(r -> r.state = gate(r));
        closeGroups();
        return group;
    }

    Group cancel(Group group) {
        if (group.state == GroupInfo.State.COMPLETED) {
            throw new Refused(GroupClosedException.class);
        }
        stop(group, GroupInfo.State.CANCELED);
        closeGroups();
        return group;
    }

    /** Drops what does not run; what is buried has ended already. */
    private void stop(Group group, GroupInfo.State endsAs) {
        if (group.state != GroupInfo.State.OPEN && group.state != GroupInfo.State.STARTED) {
            return;
        }
        group.state = GroupInfo.State.CANCELING;
        group.endsAs = endsAs;
        members(group).filter(r -> r.isUnburied() && r.state != TAKEN).toList().forEach(r -> end(r, CANCELED));
    }

    /** The group's policy beats the queue's (18). */
    private void failGroup(Row row) {
        Group group = groupOf(row.given);
        if (group == null || !row.state.isFailure()) {
            return;
        }
        boolean stops =
                switch (group.spec.onFailure()) {
                    case CONTINUE -> false;
                    case CANCEL_GROUP -> true;
                    case QUEUE_DECIDES ->
                        row.state == FAILED && options(row.given).exhaustion() == Exhaustion.FAIL_GROUP;
                };
        if (stops) {
            undecided |= members(group).anyMatch(r -> r != row && together.contains(r));
            stop(group, GroupInfo.State.FAILED);
        }
    }

    private void closeGroups() {
        for (Group group : groups) {
            boolean closes = group.state == GroupInfo.State.STARTED || group.state == GroupInfo.State.CANCELING;
            if (closes && members(group).noneMatch(Row::isUnburied)) {
                group.state = group.endsAs;
                Optional<NewTask> last =
                        group.endsAs == GroupInfo.State.COMPLETED ? group.spec.end() : group.spec.abort();
                group.closing = last.map(this::add).orElse(null);
            }
        }
    }

    GroupInfo info(Group group) {
        return new GroupInfo(
                group.id,
                group.spec.name(),
                group.state,
                members(group).count() + group.failedAndGone,
                members(group).filter(r -> r.isUnburied() && r.state != TAKEN).count(),
                members(group).filter(r -> r.state == TAKEN).count(),
                members(group).filter(r -> r.state == DONE).count(),
                members(group).filter(r -> r.state.isFailure()).count() + group.failedAndGone,
                members(group).filter(r -> r.state == CANCELED).count(),
                group.closing == null ? OptionalLong.empty() : OptionalLong.of(group.closing.id));
    }

    // Sessions

    void openSession(String id, SessionSpec spec) {
        sessions.put(id, new Session(spec, now));
    }

    /** Answers whether the session lives; the leases of {@link #toStop} are what it hears besides. */
    boolean heartbeat(String id) {
        Session session = session(id);
        if (!session.ended) {
            session.heard = now;
            session.disconnected = null;
        }
        return !session.ended;
    }

    Stream<Row> toStop(String session) {
        return held(session).filter(Row::cancelRequested);
    }

    private Stream<Row> held(String session) {
        return rows.stream().filter(r -> r.state == TAKEN && session.equals(r.session));
    }

    void disconnect(String id) {
        Session session = session(id);
        if (!session.ended) {
            session.disconnected = now;
            if (session.spec.grace().isZero()) {
                closeSession(id);
            }
        }
    }

    /** Ends the session now; answers what it held. */
    List<Row> closeSession(String id) {
        List<Row> held = held(id).toList();
        inAnyOrder(held, () -> endSession(id));
        closeGroups();
        return held;
    }

    private void endSession(String id) {
        session(id).ended = true;
        held(id).toList().forEach(this::lose);
    }

    // Time

    /** Moves the clock without doing anything yet. */
    void advance(Duration by) {
        now = now.plus(by);
    }

    /** Does all that time demands. */
    void sweep(Sweep.Sessions silent) {
        inAnyOrder(
                rows.stream().filter(r -> moments(r).anyMatch(this::hasCome)).toList(), () -> doAllThatIsDue(silent));
    }

    private void doAllThatIsDue(Sweep.Sessions silent) {
        for (Row row : rowsIn(TAKEN)) {
            if (hasCome(row.stopBy)) {
                undecided |= moments(row).filter(this::hasCome).count() > 1;
                revoke(row);
                end(row, CANCELED);
            } else if (hasCome(row.leaseUntil)) {
                lose(row);
            }
        }
        sessions.forEach((id, session) -> {
            if (session.mayEnd(silent) && hasCome(session.ends())) {
                endSession(id);
            }
        });
        rowsIn(SCHEDULED).stream().filter(r -> hasCome(r.due)).forEach(r -> r.state = gate(r));
        for (Row row : rowsIn(WAITING, READY, BURIED)) {
            if (hasCome(row.expires)) {
                end(row, EXPIRED); // 5
            }
        }
        closeGroups();
    }

    private void inAnyOrder(List<Row> changing, Runnable changes) {
        together.addAll(changing);
        undecided |= rowsIn(WAITING).stream().anyMatch(r -> !together.contains(r) && countOfSameKey(r) > 1);
        changes.run();
        together.clear();
    }

    private long countOfSameKey(Row row) {
        return together.stream().filter(r -> isSameKey(r, row)).count();
    }

    /**
     * Whether a call had two things to do whose order shows and is nobody's promise: to end two tasks of a group that
     * the first one cancels, or to expire one of a key that another loses. From there on the model knows no more.
     */
    boolean isUndecided() {
        return undecided;
    }

    /** When time changes something next; now if it should have by now. */
    Optional<Instant> nextMoment() {
        Stream<Instant> ofSessions =
                sessions.values().stream().filter(s -> !s.ended).map(Session::ends);
        return Stream.concat(rows.stream().flatMap(this::moments), ofSessions)
                .map(m -> m.isBefore(now) ? now : m)
                .min(Comparator.naturalOrder());
    }

    /** When time changes the row. */
    private Stream<Instant> moments(Row row) {
        return switch (row.state) {
            case WAITING, READY, BURIED -> Stream.ofNullable(row.expires);
            case SCHEDULED -> Stream.of(row.due);
            case TAKEN -> {
                Instant sessionEnds =
                        row.session == null ? null : session(row.session).ends();
                yield Stream.of(row.leaseUntil, row.stopBy, sessionEnds).flatMap(Stream::ofNullable);
            }
            case DONE, FAILED, EXPIRED, CANCELED -> Stream.of();
        };
    }

    private boolean hasCome(@Nullable Instant moment) {
        return moment != null && !moment.isAfter(now);
    }

    Instant now() {
        return now;
    }

    // Finding

    Row row(long id) {
        return rows.stream().filter(r -> r.id == id).findFirst().orElseThrow();
    }

    List<Row> rowsIn(TaskState... states) {
        return rows.stream().filter(r -> List.of(states).contains(r.state)).toList();
    }

    private Stream<Row> live(String queue) {
        return rows.stream().filter(r -> r.state.isLive() && r.given.queue().equals(queue));
    }

    private Stream<Row> members(Group group) {
        return rows.stream().filter(r -> r.isIn(group));
    }

    private @Nullable Group groupOf(NewTask task) {
        return groups.stream()
                .filter(g -> g.id == task.group().orElse(0))
                .findFirst()
                .orElse(null);
    }

    private boolean isUnwanted(Row row) {
        return row.cancelRequested() || isCanceling(row);
    }

    private boolean isCanceling(Row row) {
        Group group = groupOf(row.given);
        return group != null && group.state == GroupInfo.State.CANCELING;
    }

    private Queue queue(String name) {
        return Optional.ofNullable(queues.get(name)).orElseThrow();
    }

    private QueueOptions options(NewTask task) {
        return queue(task.queue()).options;
    }

    Session session(String id) {
        return Optional.ofNullable(sessions.get(id)).orElseThrow();
    }
}
