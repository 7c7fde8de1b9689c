package dev.leat.cli.demo;

import dev.leat.Group;
import dev.leat.GroupSpec;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.queue.Backoff;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.worker.RunningTask;
import dev.leat.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The tasks of the demo and their handlers: one queue for each kind of task. */
final class DemoTasks {
    /** Tasks with a priority; the important ones overtake. */
    static final String EMAILS = "emails";
    /** Tasks for later. */
    static final String REMINDERS = "reminders";
    /** Tasks with a key: one at a time for each account, in order. */
    static final String ACCOUNTS = "accounts";
    /** Tasks that fail: some once or twice, a few always. */
    static final String PAYMENTS = "payments";
    /** Tasks of a group, and the one that follows when all are done. */
    static final String PAGES = "pages";

    static final String BOOKS = "books";

    private static final int KEYS = 25;
    private static final int MAX_FAILURES = 3;
    private static final int ALWAYS_FAILING = 50;
    private static final int SOMETIMES_FAILING = 4;
    private static final int LONGEST_DELAY_MILLIS = 6_000;
    private static final int LONGEST_WORK_MILLIS = 50;

    private final Leat leat;
    private final int perQueue;
    private @Nullable Group group;

    DemoTasks(Leat leat, int tasks) {
        this.leat = leat;
        this.perQueue = tasks / 5;
    }

    Group group() {
        if (group == null) {
            throw new IllegalStateException("nothing was put yet");
        }
        return group;
    }

    /** Puts everything and answers how many tasks that is, the group's closing task included. */
    int putAll() {
        leat.queue(PAYMENTS)
                .create(QueueOptions.builder()
                        .retry(RetryPolicy.standard()
                                .maxFailures(MAX_FAILURES)
                                .backoff(Backoff.exponential(Duration.ofMillis(300), Duration.ofSeconds(2))))
                        .build());
        leat.queue(BOOKS).create(QueueOptions.standard());
        group = leat.createGroup(GroupSpec.named("print run")
                .end(NewTask.to(BOOKS).payload("bind").build()));
        List<NewTask> tasks = new ArrayList<>();
        for (int i = 0; i < perQueue; i++) {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            tasks.add(NewTask.to(EMAILS).priority(i % 10 == 0 ? -1 : 0).build());
            tasks.add(NewTask.to(REMINDERS)
                    .delay(Duration.ofMillis(random.nextInt(LONGEST_DELAY_MILLIS)))
                    .build());
            tasks.add(NewTask.to(ACCOUNTS).key("account " + i % KEYS).build());
            tasks.add(NewTask.to(PAYMENTS).payload(Integer.toString(i)).build());
            tasks.add(NewTask.to(PAGES).group(group.id()).build());
        }
        leat.putAll(tasks);
        group.start();
        return tasks.size() + 1;
    }

    Worker startWorker(int processors) {
        return leat.worker()
                .handle(EMAILS, byte[].class, DemoTasks::work)
                .handle(REMINDERS, byte[].class, DemoTasks::work)
                .handle(ACCOUNTS, byte[].class, DemoTasks::work)
                .handle(PAYMENTS, String.class, DemoTasks::pay)
                .handle(PAGES, byte[].class, DemoTasks::work)
                .handle(BOOKS, byte[].class, DemoTasks::work)
                .concurrency(processors)
                .start();
    }

    private static void work(byte[] payload, RunningTask task) throws InterruptedException {
        Thread.sleep(ThreadLocalRandom.current().nextInt(LONGEST_WORK_MILLIS));
    }

    private static void pay(String number, RunningTask task) throws InterruptedException {
        work(new byte[0], task);
        int n = Integer.parseInt(number);
        if (n % ALWAYS_FAILING == 0) {
            throw new IllegalStateException("card " + n + " was refused");
        }
        if (n % SOMETIMES_FAILING == 0 && task.task().failures() == 0) {
            throw new IllegalStateException("the bank did not answer");
        }
    }
}
