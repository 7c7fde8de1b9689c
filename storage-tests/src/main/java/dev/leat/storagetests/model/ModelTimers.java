package dev.leat.storagetests.model;

import static dev.leat.TaskState.BURIED;
import static dev.leat.TaskState.CANCELED;
import static dev.leat.TaskState.EXPIRED;
import static dev.leat.TaskState.READY;
import static dev.leat.TaskState.SCHEDULED;
import static dev.leat.TaskState.TAKEN;
import static dev.leat.TaskState.WAITING;

import dev.leat.SessionSpec;
import dev.leat.storage.Sweep;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What time does: sessions fall silent, limits are reached, due times come. */
abstract class ModelTimers extends ModelLeases {
    ModelTimers(Instant now) {
        super(now);
    }

    // Sessions

    void openSession(String id, SessionSpec spec) {
        sessions.put(id, new ModelSession(spec, now));
    }

    /** Returns whether the session lives. {@link #toStop} has the leases that the reply names. */
    boolean heartbeat(String id) {
        ModelSession session = session(id);
        if (!session.ended) {
            session.heard = now;
            session.disconnected = null;
        }
        return !session.ended;
    }

    Stream<Row> toStop(String session) {
        return held(session).filter(Row::cancelRequested);
    }

    void disconnect(String id) {
        ModelSession session = session(id);
        if (!session.ended) {
            session.disconnected = now;
            if (session.spec.grace().isZero()) {
                closeSession(id);
            }
        }
    }

    /** Ends the session now; returns the leases that it held. */
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

    // The clock

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

    /** The time of the next timed change; now if the change is overdue. */
    Optional<Instant> nextMoment() {
        Stream<Instant> ofSessions =
                sessions.values().stream().filter(s -> !s.ended).map(ModelSession::ends);
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
}
