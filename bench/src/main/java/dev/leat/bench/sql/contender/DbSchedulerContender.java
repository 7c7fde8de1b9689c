package dev.leat.bench.sql.contender;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** db-scheduler with lock-and-fetch; finished executions are removed, as it always does. */
final class DbSchedulerContender implements Contender {
    private static final int THREADS = 16;
    private static final int CONNECTIONS = 80;
    private static final double LOWER_LIMIT = 4.0;
    private static final double UPPER_LIMIT = 20.0;
    private static final Duration POLL = Duration.ofMillis(100);
    private static final String TABLE = """
            CREATE TABLE scheduled_tasks (
              task_name            text        NOT NULL,
              task_instance        text        NOT NULL,
              task_data            bytea,
              execution_time       timestamptz,
              picked               boolean     NOT NULL,
              picked_by            text,
              last_success         timestamptz,
              last_failure         timestamptz,
              consecutive_failures int,
              last_heartbeat       timestamptz,
              version              bigint      NOT NULL,
              priority             smallint,
              state                text,
              PRIMARY KEY (task_name, task_instance)
            );
            CREATE INDEX ON scheduled_tasks (execution_time);
            CREATE INDEX ON scheduled_tasks (last_heartbeat);
            CREATE INDEX ON scheduled_tasks (priority DESC, execution_time ASC);
            """;

    private final AtomicLong ids = new AtomicLong();
    private @Nullable HikariDataSource pool;
    private @Nullable SchedulerClient client;
    private @Nullable Scheduler scheduler;
    private volatile Handled handled = new Handled(0);
    private final OneTimeTask<String> task =
            Tasks.oneTime("bench", String.class).execute((instance, context) -> handled.task(instance.getData()));

    @Override
    public void open(String url) throws SQLException {
        pool = Pool.open(url, CONNECTIONS);
        client = SchedulerClient.Builder.create(pool, task).build();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(TABLE);
        }
    }

    private HikariDataSource pool() {
        if (pool == null) {
            throw new IllegalStateException("open it first");
        }
        return pool;
    }

    /** The scheduler itself where there is one: only puts through it are executed at once. */
    private SchedulerClient client() {
        if (scheduler != null) {
            return scheduler;
        }
        if (client == null) {
            throw new IllegalStateException("open it first");
        }
        return client;
    }

    @Override
    public void put(String payload) {
        client().schedule(instance(payload), Instant.now());
    }

    @Override
    public void putAll(List<String> payloads) {
        List<TaskInstance<?>> instances = new ArrayList<>(payloads.size());
        for (String payload : payloads) {
            instances.add(instance(payload));
        }
        client().scheduleBatch(instances, Instant.now());
    }

    private TaskInstance<String> instance(String payload) {
        return task.instance(Long.toString(ids.incrementAndGet()), payload);
    }

    @Override
    public void work(Handled counter, Mode mode) {
        handled = counter;
        SchedulerBuilder builder = Scheduler.create(pool(), task)
                .threads(THREADS)
                .pollingInterval(POLL)
                .pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT);
        if (mode == Mode.LATENCY) {
            builder.enableImmediateExecution();
        }
        scheduler = builder.build();
        scheduler.start();
    }

    @Override
    public boolean isSettled(long tasks) throws SQLException {
        try (Connection connection = pool().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT NOT EXISTS (SELECT FROM scheduled_tasks)")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    @Override
    public void stop() {
        if (scheduler != null) {
            scheduler.stop();
            scheduler = null;
        }
    }

    @Override
    public void close() {
        stop();
        if (pool != null) {
            pool.close();
            pool = null;
        }
    }
}
