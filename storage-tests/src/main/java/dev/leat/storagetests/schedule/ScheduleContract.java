package dev.leat.storagetests.schedule;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.PutResult;
import dev.leat.Registration;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.ScheduleNotFoundException;
import dev.leat.queue.QueueInfo.SetBy;
import dev.leat.queue.QueueOptions;
import dev.leat.schedule.Cadence;
import dev.leat.schedule.Cron;
import dev.leat.schedule.FixedRate;
import dev.leat.schedule.MissedRuns;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import dev.leat.schedule.ScheduledRun;
import dev.leat.storage.Notice;
import dev.leat.storage.Sweep;
import dev.leat.storagetests.ContractTest;
import dev.leat.topic.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tasks that are put again and again. Covers R31, rule 19, 24. The clock shows noon when a test begins. */
public abstract class ScheduleContract extends ContractTest {
    /** Storages look for a hundred at a time. */
    private static final int MORE_THAN_A_BLOCK = 101;

    private static final NewTask TASK = task("report").build();
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private ScheduleInfo schedule(Schedule schedule) {
        return storage.schedules().put(schedule, SetBy.CODE);
    }

    private ScheduleInfo everyMinute(UnaryOperator<Schedule> how) {
        return schedule(how.apply(Schedule.of("s", Cron.of("* * * * *"), TASK)));
    }

    private ScheduleInfo everyMinute() {
        return everyMinute(UnaryOperator.identity());
    }

    private ScheduleInfo info() {
        return storage.schedules().find("s").orElseThrow();
    }

    /** What schedules have put, oldest first. */
    private List<Task> runs() {
        return storage.list(TaskQuery.of(Q).limit(10_000)).stream()
                .filter(task -> ScheduledRun.of(task).isPresent())
                .toList();
    }

    private List<Instant> dues() {
        return runs().stream()
                .map(task -> ScheduledRun.of(task).orElseThrow().due())
                .toList();
    }

    private Instant noon(Duration plus) {
        return Instant.parse("2026-03-10T12:00:00Z").plus(plus);
    }

    // What is kept

    @Test
    void aScheduleIsKeptAsItWasPut() {
        NewTask task = NewTask.to(Q)
                .payload(Payload.of("{}".getBytes(UTF_8), Payload.JSON))
                .priority(-3)
                .delay(seconds(7))
                .ttl(minutes(5))
                .ttr(seconds(30))
                .key("k")
                .address("a")
                .type("nightly")
                .tenant("acme")
                .businessGroup("north")
                .origin("crm")
                .destination("erp")
                .externalKey("e")
                .tag("n", 7)
                .trace("traceparent", "00-1-2-01")
                .build();
        Schedule put = Schedule.of("reports / täglich", Cron.of("30 2 * * MON-FRI", BERLIN), task)
                .missed(MissedRuns.catchUp(12))
                .noOverlap();

        ScheduleInfo info = schedule(put);

        assertThat(info.schedule()).isEqualTo(put);
        assertThat(info.paused()).isFalse();
        assertThat(info.setBy()).isEqualTo(SetBy.CODE);
        assertThat(info.created()).isEqualTo(now());
        assertThat(info.nextRun()).contains(Instant.parse("2026-03-11T01:30:00Z"));
        assertThat(info.lastRun()).isEmpty();
        assertThat(info.lastTask()).isEmpty();
        assertThat(info.lastSkip()).isEmpty();
        assertThat(storage.schedules().find("reports / täglich")).contains(info);
        assertThat(storage.schedules().find("Reports / täglich")).isEmpty();
    }

    @Test
    void everyKindOfScheduleIsKept() {
        Schedule fixed = Schedule.of("fixed", FixedRate.of(seconds(90)).startingAt(noon(minutes(7))), TASK)
                .missed(MissedRuns.skip(seconds(20)));
        Schedule plain = Schedule.of(
                "plain", Cron.of("@daily"), NewTask.to(Q).publication().build());

        assertThat(schedule(fixed).schedule()).isEqualTo(fixed);
        assertThat(storage.schedules().find("fixed").orElseThrow().schedule()).isEqualTo(fixed);
        assertThat(schedule(plain).schedule()).isEqualTo(plain);
        assertThat(storage.schedules().find("plain").orElseThrow().schedule()).isEqualTo(plain);
    }

    @Test
    void schedulesAreListedByTheirNamesInPages() {
        for (String name : List.of("c", "a", "b")) {
            schedule(Schedule.of(name, Cron.of("@daily"), task().tenant("acme").build()));
        }
        schedule(Schedule.of("aa", Cron.of("@daily"), NewTask.to("other").build()));

        assertThat(storage.schedules().list(ScheduleQuery.all()))
                .extracting(ScheduleInfo::name)
                .containsExactly("a", "aa", "b", "c");
        assertThat(storage.schedules().list(ScheduleQuery.all().tenant("acme").limit(2)))
                .extracting(ScheduleInfo::name)
                .containsExactly("a", "b");
        assertThat(storage.schedules().list(ScheduleQuery.all().tenant("acme").after("b")))
                .extracting(ScheduleInfo::name)
                .containsExactly("c");
        assertThat(storage.schedules().list(ScheduleQuery.all().queue("other")))
                .extracting(ScheduleInfo::name)
                .containsExactly("aa");
        assertThat(storage.schedules().list(ScheduleQuery.all().tenant("nobody")))
                .isEmpty();
    }

    @Test
    void aScheduleIsDroppedAndItsTasksStay() {
        everyMinute();
        advance(minutes(1));

        assertThat(storage.schedules().drop("s")).isTrue();
        assertThat(storage.schedules().drop("s")).isFalse();
        assertThat(storage.schedules().find("s")).isEmpty();
        advance(minutes(1));
        assertThat(runs()).hasSize(1);
    }

    @Test
    void callsToAnUnknownScheduleAreRefused() {
        for (Runnable deed : List.<Runnable>of(
                () -> storage.schedules().pause("s"), () -> storage.schedules().resume("s"), () -> storage.schedules()
                        .trigger("s"))) {
            assertThatExceptionOfType(ScheduleNotFoundException.class)
                    .isThrownBy(deed::run)
                    .withMessageContaining("'s'");
        }
    }

    @Test
    void aTaskThatCannotBePutAgainAndAgainIsRefused() {
        for (NewTask.Builder task : List.of(
                task().group(1),
                task().idempotencyKey("i"),
                task("p").externalKey("e").unlessEquivalent(),
                task().due(When.at(noon(minutes(1)))))) {
            assertThatExceptionOfType(InvalidRequestException.class)
                    .isThrownBy(() -> Schedule.of("s", Cron.of("@daily"), task.build()));
        }
    }

    // Declaring

    @Test
    void aScheduleThatIsDeclaredAgainGoesOn() {
        ScheduleInfo first = schedule(Schedule.of("s", Cadence.every(minutes(10)), TASK));
        advance(minutes(4));

        ScheduleInfo again = schedule(
                Schedule.of("s", Cadence.every(minutes(10)), task("other").build()));

        assertThat(again.nextRun()).isEqualTo(first.nextRun()).contains(noon(minutes(10)));
        assertThat(again.created()).isEqualTo(first.created());
        assertThat(again.schedule().task().payload().text()).isEqualTo("other");
        advance(minutes(6));
        assertThat(runs()).extracting(task -> task.payload().text()).containsExactly("other");
    }

    @Test
    void anotherCadenceCountsFromNow() {
        everyMinute();
        advance(seconds(30));

        ScheduleInfo changed = schedule(Schedule.of("s", Cadence.every(minutes(10)), TASK));

        assertThat(changed.nextRun()).contains(noon(seconds(30).plus(minutes(10))));
        advance(minutes(5));
        assertThat(runs()).isEmpty();
        assertThat(schedule(Schedule.of("s", Cron.of("0 * * * *"), TASK)).nextRun())
                .contains(noon(minutes(60)));
    }

    @Test
    void aPauseSurvivesADeclaration() {
        everyMinute();
        storage.schedules().pause("s");

        assertThat(everyMinute().paused()).isTrue();
        assertThat(schedule(Schedule.of("s", Cadence.every(minutes(1)), TASK)).nextRun())
                .isEmpty();
        advance(minutes(5));

        assertThat(runs()).isEmpty();
    }

    @Test
    void codeDoesNotOverruleAnOperator() { // rule 28
        everyMinute();
        Schedule hourly = Schedule.of("s", Cron.of("@hourly"), TASK);

        assertThat(storage.schedules().put(hourly, SetBy.OPERATOR).setBy()).isEqualTo(SetBy.OPERATOR);

        assertThat(everyMinute().schedule()).isEqualTo(hourly);
        assertThat(info().nextRun()).contains(noon(minutes(60)));
    }

    @Test
    void aScheduleDeclaredByManyAtTheSameTimeIsOneSchedule() throws Exception {
        together(8, () -> everyMinute());

        advance(minutes(1));

        assertThat(runs()).hasSize(1);
    }

    // Runs

    @Test
    void aTaskIsPutWhenItIsTimeAndNotBefore() {
        everyMinute();

        advance(seconds(59));
        assertThat(runs()).isEmpty();
        List<TaskEvent> events = advance(seconds(1));

        Task run = runs().get(0);
        assertThat(run.state()).isEqualTo(TaskState.READY);
        assertThat(run.payload().text()).isEqualTo("report");
        assertThat(run.created()).isEqualTo(now());
        assertThat(ScheduledRun.of(run)).contains(new ScheduledRun("s", noon(minutes(1))));
        assertThat(events).contains(new TaskEvent(TaskEvent.Kind.PUT, Q, run.id(), TaskState.READY));
        assertThat(info().nextRun()).contains(noon(minutes(2)));
        assertThat(info().lastRun()).contains(noon(minutes(1)));
        assertThat(info().lastTask()).hasValue(run.id());
        assertThat(sweep()).isEmpty();
    }

    @Test
    void everyTimeGetsOneTask() { // R31
        everyMinute();

        for (int i = 0; i < 10; i++) {
            advance(minutes(1));
            sweep();
        }

        assertThat(dues()).hasSize(10).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void aFixedRateGoesOnFromItsStart() {
        schedule(Schedule.of("s", FixedRate.of(seconds(90)).startingAt(noon(seconds(10))), TASK));

        advance(seconds(12));
        advance(seconds(90));

        assertThat(dues()).containsExactly(noon(seconds(10)), noon(seconds(100)));
        assertThat(info().nextRun()).contains(noon(seconds(190)));
    }

    @Test
    void aRunKnowsItsScheduleWhereverItGoes() {
        everyMinute();
        advance(minutes(1));

        TakenTask taken = take();

        assertThat(ScheduledRun.of(taken.task())).contains(new ScheduledRun("s", noon(minutes(1))));
        ack(taken.lease());
        assertThat(ScheduledRun.of(peek(taken.id()))).contains(new ScheduledRun("s", noon(minutes(1))));
        assertThat(ScheduledRun.of(peek(put("plain")))).isEmpty();
    }

    @Test
    void aScheduleMayPublish() {
        storage.subscriptions().put(Subscription.to(Q, "billing"));
        schedule(Schedule.of(
                "s", Cron.of("* * * * *"), task("news").publication().build()));
        advance(minutes(1));

        ack(take().lease());

        Task copy = runs().get(0);
        assertThat(copy.subscriber()).contains("billing");
        assertThat(ScheduledRun.of(copy)).contains(new ScheduledRun("s", noon(minutes(1))));
    }

    @Test
    void aRunComesEvenIntoAFullOrDroppedQueue() {
        storage.queues().create("small", QueueOptions.builder().capacity(1).build());
        storage.put(List.of(NewTask.to("small").build()));
        storage.queues().create("gone", QueueOptions.standard());
        schedule(Schedule.of("a", Cron.of("* * * * *"), NewTask.to("small").build()));
        schedule(Schedule.of("b", Cron.of("* * * * *"), NewTask.to("gone").build()));
        storage.queues().drop("gone");

        advance(minutes(1));

        assertThat(storage.list(TaskQuery.of("small"))).hasSize(2);
        assertThat(storage.list(TaskQuery.of("gone"))).hasSize(1);
    }

    @Test
    void manySchedulesRunAtTheSameTime() {
        int many = Math.max(MORE_THAN_A_BLOCK, fixture.enough(500));
        for (int i = 0; i < many; i++) {
            schedule(Schedule.of("s" + i, Cron.of("* * * * *"), TASK));
        }
        schedule(Schedule.of("later", Cron.of("@hourly"), TASK));

        fixture.advance(minutes(1));
        Sweep.Result result;
        do {
            result = storage.sweep(new Sweep(Sweep.Sessions.SPARE, 100));
        } while (result.nextIn().filter(Duration.ZERO::equals).isPresent());

        assertThat(runs().stream()
                        .map(task -> ScheduledRun.of(task).orElseThrow().schedule()))
                .hasSize(many)
                .doesNotHaveDuplicates();
    }

    @Test
    void aSweepTellsWhenTheNextRunIs() {
        schedule(Schedule.of("s", Cadence.every(seconds(7)), TASK));

        assertThat(storage.sweep(Sweep.everything()).nextIn()).contains(seconds(7));
        advance(seconds(7));
        assertThat(storage.sweep(Sweep.everything()).nextIn()).contains(seconds(7));
        storage.schedules().pause("s");
        assertThat(storage.sweep(Sweep.everything()).nextIn().filter(seconds(7)::equals))
                .isEmpty();
    }

    @Test
    void anEarlierRunSendsTimerMoved() {
        storage.sweep(Sweep.everything());
        Collection<Notice> heard = new ConcurrentLinkedQueue<>();
        try (Registration listening = storage.signal().listen(heard::add)) {
            schedule(Schedule.of("s", Cadence.every(seconds(2)), TASK));

            Awaitility.await()
                    .atMost(seconds(2))
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> heard.contains(Notice.TimerMoved.INSTANCE));
        }
    }

    @Test
    void aRunWakes() {
        everyMinute();
        Collection<Notice> heard = new ConcurrentLinkedQueue<>();
        try (Registration listening = storage.signal().listen(heard::add)) {
            advance(minutes(1));

            Awaitility.await()
                    .atMost(seconds(2))
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> heard.contains(new Notice.Ready(Q)));
        }
    }

    /** rule 19: whoever comes, each time has one task. */
    @Test
    void sweepsAtTheSameTimePutEachRunOnce() throws Exception { // R31
        everyMinute();
        schedule(Schedule.of("t", Cron.of("* * * * *"), TASK));
        int rounds = Math.max(5, fixture.enough(20));

        for (int i = 0; i < rounds; i++) {
            fixture.advance(minutes(1));
            storage.sessions().heartbeat(session, Map.of());
            together(4, () -> storage.sweep(Sweep.everything()));
            sweep();
        }

        List<ScheduledRun> runs =
                runs().stream().map(task -> ScheduledRun.of(task).orElseThrow()).toList();
        assertThat(runs).hasSize(2 * rounds).doesNotHaveDuplicates();
    }

    // Missed runs

    @Test
    void oneRunStandsForAllThatWereMissed() {
        everyMinute();

        advance(minutes(10).plus(seconds(5)));

        assertThat(dues()).containsExactly(noon(minutes(10)));
        assertThat(info().nextRun()).contains(noon(minutes(11)));
        assertThat(info().lastSkip().orElseThrow().due()).isEqualTo(noon(minutes(9)));
        assertThat(info().lastSkip().orElseThrow().reason()).contains("late");
    }

    @Test
    void missedRunsAreSkipped() {
        everyMinute(schedule -> schedule.missed(MissedRuns.skip(seconds(10))));

        advance(minutes(10).plus(seconds(11)));
        assertThat(runs()).isEmpty();
        assertThat(info().lastSkip()).contains(new ScheduleInfo.Skip(noon(minutes(10)), "more than PT10S late"));
        advance(seconds(59));

        assertThat(dues()).as("ten seconds late is not too late").containsExactly(noon(minutes(11)));
    }

    @Test
    void ofSeveralRunsThatAreNotTooLateTheLatestIsPut() {
        everyMinute(schedule -> schedule.missed(MissedRuns.skip(minutes(10))));

        advance(minutes(3));

        assertThat(dues()).containsExactly(noon(minutes(3)));
        assertThat(info().lastSkip())
                .contains(new ScheduleInfo.Skip(noon(minutes(2)), "late, and the run after it stands for both"));
    }

    @Test
    void missedRunsAreCaughtUpWith() {
        everyMinute(schedule -> schedule.missed(MissedRuns.catchUp(3)));

        advance(minutes(2));
        assertThat(dues()).containsExactly(noon(minutes(1)), noon(minutes(2)));
        advance(minutes(10));

        assertThat(dues())
                .containsExactly(
                        noon(minutes(1)), noon(minutes(2)), noon(minutes(10)), noon(minutes(11)), noon(minutes(12)));
        assertThat(info().lastSkip().orElseThrow().due()).isEqualTo(noon(minutes(9)));
    }

    @Test
    void anOutageOfMonthsCostsNoMoreThanOneOfMinutes() {
        schedule(Schedule.of("s", Cron.of("* * * * * *", BERLIN), TASK).missed(MissedRuns.catchUp(1_000)));

        advance(Duration.ofDays(100));

        assertThat(dues()).hasSize(1_000).doesNotHaveDuplicates().isSorted().endsWith(now());
        assertThat(dues()).startsWith(now().minusSeconds(999));
    }

    // No overlap

    @Test
    void nothingIsPutWhileTheRunBeforeHasNotEnded() {
        everyMinute(Schedule::noOverlap);
        advance(minutes(1));
        TakenTask first = take();

        advance(minutes(1));

        assertThat(runs()).hasSize(1);
        assertThat(info().lastSkip())
                .contains(new ScheduleInfo.Skip(
                        noon(minutes(2)), "task " + first.id() + " of the run before has not ended"));
        assertThat(info().lastRun()).contains(noon(minutes(1)));
        ack(first.lease());
        advance(minutes(1));
        assertThat(dues()).containsExactly(noon(minutes(3)));
    }

    @Test
    void aBuriedRunHasEnded() { // rule 16
        everyMinute(Schedule::noOverlap);
        advance(minutes(1));
        storage.bury(runs().get(0).id(), "broken");

        advance(minutes(1));

        assertThat(dues()).hasSize(2);
    }

    @Test
    void missedRunsDoNotOverlapEither() {
        everyMinute(schedule -> schedule.missed(MissedRuns.catchUp(5)).noOverlap());

        advance(minutes(3));

        assertThat(dues()).containsExactly(noon(minutes(3)));
        assertThat(info().lastSkip().orElseThrow().due()).isEqualTo(noon(minutes(2)));
    }

    @Test
    void anAddressKeepsRunsApartToo() {
        schedule(Schedule.of("s", Cron.of("* * * * *"), task().address("only").build()));
        advance(minutes(1));
        long first = runs().get(0).id();

        advance(minutes(1));

        assertThat(runs()).hasSize(1);
        assertThat(info().lastSkip())
                .contains(new ScheduleInfo.Skip(noon(minutes(2)), "task " + first + " is there in its place"));
        assertThat(info().lastTask()).hasValue(first);
        assertThat(info().nextRun()).contains(noon(minutes(3)));
    }

    // Operators

    @Test
    void aPausedScheduleWaits() {
        everyMinute();

        ScheduleInfo paused = storage.schedules().pause("s");
        assertThat(paused.paused()).isTrue();
        assertThat(paused.nextRun()).isEmpty();
        advance(minutes(10).plus(seconds(30)));
        assertThat(runs()).isEmpty();
        ScheduleInfo resumed = storage.schedules().resume("s");

        assertThat(resumed.paused()).isFalse();
        assertThat(resumed.nextRun()).contains(noon(minutes(11)));
        advance(seconds(30));
        assertThat(dues()).as("nothing of the pause is made up for").containsExactly(noon(minutes(11)));
    }

    @Test
    void pausingAndResumingTwiceChangesNothing() {
        everyMinute();

        assertThat(storage.schedules().resume("s")).isEqualTo(info());
        ScheduleInfo paused = storage.schedules().pause("s");

        assertThat(storage.schedules().pause("s")).isEqualTo(paused);
        assertThat(storage.schedules().find("s")).contains(paused);
    }

    @Test
    void aTriggerPutsTheTaskAtOnceAndMovesNothing() {
        everyMinute();
        advance(seconds(15));

        PutResult first = storage.schedules().trigger("s");
        PutResult second = storage.schedules().trigger("s");

        assertThat(List.of(first.created(), second.created())).containsOnly(true);
        assertThat(dues()).containsExactly(noon(seconds(15)), noon(seconds(15)));
        assertThat(info().nextRun()).contains(noon(minutes(1)));
        assertThat(info().lastTask()).hasValue(second.id());
        advance(seconds(45));
        assertThat(dues()).hasSize(3);
    }

    @Test
    void aTriggerAtTheTimeOfARunIsNotThatRun() {
        everyMinute();
        advance(minutes(1));

        assertThat(storage.schedules().trigger("s").created()).isTrue();

        assertThat(dues()).containsExactly(noon(minutes(1)), noon(minutes(1)));
    }

    @Test
    void aPausedScheduleCanBeTriggered() {
        everyMinute();
        storage.schedules().pause("s");

        assertThat(storage.schedules().trigger("s").state()).isEqualTo(TaskState.READY);

        assertThat(info().paused()).isTrue();
        assertThat(info().nextRun()).isEmpty();
        assertThat(runs()).hasSize(1);
    }

    @Test
    void aTriggerDoesNotOverlapEither() {
        everyMinute(Schedule::noOverlap);
        PutResult first = storage.schedules().trigger("s");

        assertThat(storage.schedules().trigger("s")).isEqualTo(new PutResult(first.id(), false, TaskState.READY));
        advance(minutes(1));

        assertThat(runs()).hasSize(1);
        assertThat(info().lastTask()).isEqualTo(OptionalLong.of(first.id()));
        assertThat(info().lastSkip().map(ScheduleInfo.Skip::due)).isEqualTo(Optional.of(noon(minutes(1))));
    }

    private static void together(int count, Runnable deed) throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            List<Future<?>> deeds = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                deeds.add(threads.submit(deed));
            }
            for (Future<?> one : deeds) {
                one.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
