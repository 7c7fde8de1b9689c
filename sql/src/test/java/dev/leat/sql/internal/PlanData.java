package dev.leat.sql.internal;

import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.TakeOrder;
import dev.leat.schedule.Cadence;
import dev.leat.schedule.Schedule;
import dev.leat.storage.Storage;
import dev.leat.storagetests.TestLength;
import java.time.Duration;
import java.util.stream.IntStream;

/** What a database has in it when its plans are looked at: thousands of tasks of all kinds, and schedules. */
public final class PlanData {
    static final int TASKS = TestLength.of("leat.plan.tasks", 20_000, 200_000);
    private static final int BATCH = 5_000;
    private static final int SCHEDULES = TASKS / 60;

    private PlanData() {}

    /** A third ready, a third in the future, a third behind a key; some finished, taken, buried or in a group. */
    public static void fill(Storage storage) {
        storage.queues()
                .create(
                        "q",
                        QueueOptions.builder()
                                .typeFilter(QueueOptions.TypeFilter.ON)
                                .takeOrder(TakeOrder.newest())
                                .takeOrder(TakeOrder.random())
                                .takeOrder(TakeOrder.preferDistinct("company"))
                                .build());
        long group = storage.groups().create(GroupSpec.named("g")).id();
        for (int from = 0; from < TASKS; from += BATCH) {
            storage.put(IntStream.range(from, from + BATCH)
                    .mapToObj(i -> task(i, group))
                    .toList());
        }
        storage.settle(storage.take(TakeRequest.from("q").count(2_000)).stream()
                .<Settle>map(
                        taken -> taken.id() % 2 == 0 ? Settle.ack(taken.lease()) : Settle.bury(taken.lease(), "aside"))
                .toList());
        storage.take(TakeRequest.from("q").count(1_000));
        for (int i = 0; i < SCHEDULES; i++) {
            NewTask task = NewTask.to("q").tenant("tenant" + i % 100).build();
            storage.schedules()
                    .put(
                            Schedule.of("schedule" + i, Cadence.every(Duration.ofHours(1 + i)), task),
                            QueueInfo.SetBy.CODE);
        }
    }

    private static NewTask task(int i, long group) {
        NewTask.Builder task = NewTask.to("q")
                .payload("work")
                .priority(i % 5)
                .type("type" + i % 7)
                .tag("company", i % 50);
        return switch (i % 6) {
            case 0, 1 -> task.delay(Duration.ofHours(1 + i % 100)).build();
            case 2, 3 -> task.key("key" + i % 3).build();
            case 4 ->
                i % 100 == 4
                        ? task.group(group).build()
                        : task.address("address" + i).build();
            default -> task.ttl(Duration.ofDays(1)).build();
        };
    }
}
