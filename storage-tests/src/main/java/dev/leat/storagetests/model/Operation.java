package dev.leat.storagetests.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.Touch;
import dev.leat.When;
import dev.leat.queue.TakeOrder;
import dev.leat.storage.Sweep;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A call to a storage and to the model of the storage.
 *
 * <p>Arguments are small numbers that choose among what there is at that moment, counted from the newest; when there is
 * nothing to choose from, nothing happens. Zero is always the plainest choice, so that shrinking makes a sequence plain.
 */
sealed interface Operation {

    /** Calls both, and compares their answers. */
    void on(Trial trial);

    /** Seconds that delays, limits and steps are made of, so that deadlines are often met exactly. */
    List<Integer> SECONDS = List.of(0, 5, 20, 70);

    static Duration seconds(int choice) {
        return Duration.ofSeconds(SECONDS.get(choice));
    }

    static String queue(int choice) {
        return "queue" + choice;
    }

    private static <T> Optional<T> pick(List<T> from, int choice) {
        return from.isEmpty() ? Optional.empty() : Optional.of(from.get(from.size() - 1 - choice % from.size()));
    }

    // Tasks

    /** Puts some tasks in one call. */
    record Put(List<Draft> tasks) implements Operation {
        @Override
        public void on(Trial trial) {
            List<NewTask> given = tasks.stream().map(d -> d.task(trial)).toList();
            trial.both(() -> trial.storage.put(given), () -> trial.model.put(given), (results, rows) -> {
                for (int i = 0; i < given.size(); i++) {
                    agree(trial, results.get(i), rows.get(i));
                }
            });
        }

        private static void agree(Trial trial, PutResult result, Row row) {
            assertThat(result.created()).as("created").isEqualTo(row.id == 0);
            assertThat(result.state()).as("state after put").isEqualTo(row.state);
            if (row.id == 0) {
                row.id = result.id();
                trial.put.add(row.id);
            }
            assertThat(result.id()).as("id").isEqualTo(row.id);
        }
    }

    /** A task to be put; 0 leaves a thing out. */
    record Draft(int queue, int priority, int delay, int ttl, int ttr, int key, int address, int group, int type) {

        NewTask task(Trial trial) {
            NewTask.Builder task =
                    NewTask.to(Operation.queue(queue)).payload("work").delay(seconds(delay));
            when(priority, p -> task.priority(p - 2));
            when(ttl, t -> task.ttl(seconds(t)));
            when(ttr, t -> task.ttr(seconds(t)));
            when(key, k -> task.key("key" + k));
            when(address, a -> task.address(Trial.ADDRESSES.get(a - 1)));
            when(group, g -> pick(g == 1 ? trial.groupsNotEnded() : trial.model.groups, 0)
                    .ifPresent(it -> task.group(it.id)));
            when(type, t -> task.type("type" + t).tag("type", t));
            return task.build();
        }

        private static void when(int choice, Consumer<Integer> then) {
            if (choice > 0) {
                then.accept(choice);
            }
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder(Operation.queue(queue));
            when(priority, p -> text.append(" priority ").append(p - 2));
            when(delay, d -> text.append(" delay ").append(seconds(d)));
            when(ttl, t -> text.append(" ttl ").append(seconds(t)));
            when(ttr, t -> text.append(" ttr ").append(seconds(t)));
            when(key, k -> text.append(" key").append(k));
            when(address, a -> text.append(" address ").append(Trial.ADDRESSES.get(a - 1)));
            when(group, g -> text.append(" group #").append(g));
            when(type, t -> text.append(" type").append(t));
            return text.toString();
        }
    }

    /** Takes; session 0 is none, type 3 and higher is a set of both. */
    record Take(int queue, int count, int session, int order, int maxPriority, int type, int ttr) implements Operation {
        @Override
        public void on(Trial trial) {
            TakeRequest request = request(trial);
            trial.both(() -> trial.storage.take(request), () -> trial.model.take(request), (taken, rows) -> {
                assertThat(taken.stream().map(TakenTask::id))
                        .as("taken")
                        .isEqualTo(rows.stream().map(r -> r.id).toList());
                for (int i = 0; i < taken.size(); i++) {
                    Row row = rows.get(i);
                    row.lease = taken.get(i).lease();
                    trial.leases.add(taken.get(i).lease());
                    assertThat(taken.get(i).leaseUntil())
                            .as("leaseUntil")
                            .isEqualTo(Optional.ofNullable(row.leaseUntil));
                }
            });
        }

        private TakeRequest request(Trial trial) {
            TakeRequest request = TakeRequest.from(Operation.queue(queue)).count(count + 1);
            Optional<String> by = session == 0
                    ? Optional.empty()
                    : pick(session < 3 ? trial.liveSessions() : trial.allSessions(), session);
            if (by.isPresent()) {
                request = request.session(by.get());
            }
            if (order > 0) {
                request = request.order(TakeOrder.newest());
            }
            if (maxPriority > 0) {
                request = request.maxPriority(maxPriority - 2);
            }
            if (type > 0) {
                request = request.types(type == 3 ? Set.of("type1", "type2") : Set.of("type" + type));
            }
            return ttr > 0 ? request.ttr(seconds(ttr)) : request;
        }
    }

    /** Settles some deliveries in one call. */
    record SettleSome(List<Ending> endings) implements Operation {
        @Override
        public void on(Trial trial) {
            List<Settle> settles =
                    endings.stream().flatMap(e -> e.settle(trial).stream()).toList();
            trial.both(
                    () -> trial.storage.settle(settles),
                    () -> settles.stream().map(trial.model::settle).toList(),
                    (results, expected) -> {
                        for (int i = 0; i < settles.size(); i++) {
                            agree(results.get(i), expected.get(i));
                        }
                    });
        }

        private static void agree(SettleResult result, Optional<SettleResult> expected) {
            if (expected.isEmpty()) {
                assertThat(result.status()).as("an old settle").isNotEqualTo(SettleResult.Status.DONE);
            } else if (expected.get().status() == SettleResult.Status.ALREADY) {
                assertThat(result.status()).isEqualTo(SettleResult.Status.ALREADY);
            } else {
                assertThat(result).isEqualTo(expected.get());
            }
        }
    }

    /** How one delivery ends. */
    record Ending(int lease, How how, int delay) {
        enum How {
            ACK,
            FAIL,
            RETRY,
            RELEASE,
            BURY,
            CANCEL,
            GIVE_BACK
        }

        Optional<Settle> settle(Trial trial) {
            return Operation.lease(trial, lease).map(l -> switch (how) {
                case ACK -> new Settle.Ack(l, "done", Optional.empty());
                case FAIL -> new Settle.Fail(l, "failed", 1 + delay);
                case RETRY -> Settle.retry(l, When.in(seconds(delay)), "later");
                case RELEASE -> Settle.release(l, seconds(delay));
                case BURY -> Settle.bury(l, "bad");
                case CANCEL -> Settle.cancel(l, "unneeded");
                case GIVE_BACK -> Settle.giveBack(l, seconds(delay));
            });
        }
    }

    /** The choices below this are among held leases, the others among all that ever were. */
    int OLD_LEASES = 6;

    private static Optional<Lease> lease(Trial trial, int choice) {
        List<Lease> held = trial.model.rowsIn(TaskState.TAKEN).stream()
                .flatMap(r -> Optional.ofNullable(r.lease).stream())
                .toList();
        return pick(choice < OLD_LEASES ? held : trial.leases, choice);
    }

    /** Asks for more time. */
    record TouchOne(int lease, int by) implements Operation {
        @Override
        public void on(Trial trial) {
            Operation.lease(trial, lease)
                    .map(l -> new Touch(l, seconds(by + 1)))
                    .ifPresent(touch -> trial.both(
                            () -> trial.storage.touch(List.of(touch)),
                            () -> trial.model.touch(touch),
                            (results, expected) -> assertThat(results).containsExactly(expected)));
        }
    }

    /** Frees buried tasks. */
    record Kick(int queue, int count) implements Operation {
        @Override
        public void on(Trial trial) {
            String name = Operation.queue(queue);
            trial.both(
                    () -> trial.storage.kick(name, count + 1),
                    () -> trial.model.kick(name, count + 1),
                    (events, rows) -> assertThat(events.stream().map(TaskEvent::taskId))
                            .isEqualTo(rows.stream().map(r -> r.id).toList()));
        }
    }

    /** Does something to one task; {@code among} says in which states it may be. */
    record Operate(Deed verb, Among among, int task) implements Operation {
        enum Deed {
            KICK,
            DELETE,
            CANCEL,
            BURY
        }

        enum Among {
            LIVE,
            READY,
            TAKEN,
            BURIED,
            ALL;

            boolean has(TaskState state) {
                return switch (this) {
                    case LIVE -> state.isLive();
                    case READY -> state == TaskState.READY;
                    case TAKEN -> state == TaskState.TAKEN;
                    case BURIED -> state == TaskState.BURIED;
                    case ALL -> true;
                };
            }
        }

        @Override
        public void on(Trial trial) {
            List<Row> rows =
                    trial.model.rows.stream().filter(r -> among.has(r.state)).toList();
            pick(rows, task)
                    .ifPresent(row -> trial.both(
                            () -> operate(trial, row.id),
                            () -> operate(trial.model, row),
                            (event, expected) -> assertThat(event.state()).isEqualTo(expected)));
        }

        private TaskEvent operate(Trial trial, long id) {
            return switch (verb) {
                case KICK -> trial.storage.kick(id);
                case DELETE -> trial.storage.delete(id);
                case CANCEL -> trial.storage.cancel(id, "not wanted");
                case BURY -> trial.storage.bury(id, "put aside");
            };
        }

        private TaskState operate(ReferenceModel model, Row row) {
            switch (verb) {
                case KICK -> model.kick(row);
                case DELETE -> model.delete(row);
                case CANCEL -> model.cancel(row, "not wanted");
                case BURY -> model.bury(row.id, "put aside");
            }
            return row.state;
        }
    }

    // Queues

    /** Does something to a whole queue. */
    record Govern(Decree verb, int queue) implements Operation {
        enum Decree {
            RESUME,
            PAUSE,
            RELEASE_ALL,
            TRUNCATE
        }

        @Override
        public void on(Trial trial) {
            String name = Operation.queue(queue);
            switch (verb) {
                case RESUME -> trial.both(() -> trial.storage.queues().resume(name), () -> trial.model.resume(name));
                case PAUSE -> trial.both(() -> trial.storage.queues().pause(name), () -> trial.model.pause(name));
                case RELEASE_ALL ->
                    assertThat(trial.storage.queues().releaseAll(name)).isEqualTo(trial.model.releaseAll(name));
                case TRUNCATE ->
                    assertThat(trial.storage.queues().truncate(name)).isEqualTo(trial.model.truncate(name));
            }
        }
    }

    // Groups

    /** Makes a group; closing 1 and higher gives it end and abort tasks for queue {@code closing - 1}. */
    record CreateGroup(int name, GroupSpec.OnFailure onFailure, int closing) implements Operation {
        @Override
        public void on(Trial trial) {
            GroupSpec plain = GroupSpec.named("group" + name).onFailure(onFailure);
            GroupSpec spec = closing == 0 ? plain : plain.end(closing("end")).abort(closing("abort"));
            trial.both(
                    () -> trial.storage.groups().create(spec),
                    () -> trial.model.createGroup(spec),
                    (info, group) -> group.id = info.id());
        }

        private NewTask closing(String payload) {
            return NewTask.to(Operation.queue(closing - 1)).payload(payload).build();
        }
    }

    record StartGroup(int group) implements Operation {
        @Override
        public void on(Trial trial) {
            pick(group == 0 ? trial.groupsNotEnded() : trial.model.groups, group)
                    .ifPresent(it -> trial.both(
                            () -> trial.storage.groups().start(it.id), () -> trial.model.start(it), StartGroup::agree));
        }

        static void agree(GroupInfo info, ModelGroup group) {
            assertThat(info.state()).isEqualTo(group.state);
        }
    }

    record CancelGroup(int group) implements Operation {
        @Override
        public void on(Trial trial) {
            pick(group == 0 ? trial.groupsNotEnded() : trial.model.groups, group)
                    .ifPresent(it -> trial.both(
                            () -> trial.storage.groups().cancel(it.id, "no more"),
                            () -> trial.model.cancel(it),
                            StartGroup::agree));
        }
    }

    // Sessions

    record OpenSession(int grace) implements Operation {
        @Override
        public void on(Trial trial) {
            SessionSpec spec = SessionSpec.named("worker").deadAfter(seconds(2)).grace(seconds(grace));
            trial.model.openSession(trial.storage.sessions().open(spec), spec);
        }
    }

    /** Does something to one session. */
    record Attend(Sign verb, int session) implements Operation {
        enum Sign {
            HEARTBEAT,
            DISCONNECT,
            CLOSE
        }

        @Override
        public void on(Trial trial) {
            pick(session < 2 ? trial.liveSessions() : trial.allSessions(), session)
                    .ifPresent(id -> {
                        switch (verb) {
                            case HEARTBEAT -> heartbeat(trial, id);
                            case DISCONNECT ->
                                trial.both(
                                        () -> trial.storage.sessions().disconnect(id),
                                        () -> trial.model.disconnect(id));
                            case CLOSE -> close(trial, id);
                        }
                    });
        }

        static void heartbeat(Trial trial, String id) {
            trial.both(
                    () -> trial.storage.sessions().heartbeat(id, Map.of()),
                    () -> trial.model.heartbeat(id),
                    (reply, alive) -> {
                        assertThat(reply.alive()).as("alive").isEqualTo(alive);
                        assertThat(reply.cancelRequested())
                                .containsExactlyInAnyOrderElementsOf(
                                        trial.model.toStop(id).map(r -> r.lease).toList());
                    });
        }

        private static void close(Trial trial, String id) {
            trial.both(
                    () -> trial.storage.sessions().close(id),
                    () -> trial.model.closeSession(id),
                    (events, rows) -> assertThat(events.stream().map(TaskEvent::taskId))
                            .containsExactlyInAnyOrderElementsOf(
                                    rows.stream().map(r -> r.id).toList()));
        }
    }

    // Time

    /** Lets time pass in one step; sessions then say that they live, or are silent. */
    record Pass(int step, boolean silent) implements Operation {
        @Override
        public void on(Trial trial) {
            trial.advance(step == 0 ? Duration.ofSeconds(1) : seconds(step));
            if (!silent) {
                trial.sweep(Sweep.Sessions.SPARE);
                trial.allSessions().forEach(id -> Attend.heartbeat(trial, id));
            }
        }

        @Override
        public String toString() {
            return "Pass[" + (step == 0 ? 1 : SECONDS.get(step)) + " s" + (silent ? ", silent]" : "]");
        }
    }
}
