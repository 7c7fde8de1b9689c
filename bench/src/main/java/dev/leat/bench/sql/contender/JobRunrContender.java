package dev.leat.bench.sql.contender;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.jobs.annotations.Job;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.scheduling.BackgroundJobRequest;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jspecify.annotations.Nullable;

/** The free JobRunr at its shortest poll interval; finished jobs are kept, as it always does. */
final class JobRunrContender implements Contender {
    private static final int WORKERS = 16;
    private static final int CONNECTIONS = 80;
    private static final Duration POLL = Duration.ofSeconds(5);

    /** JobRunr makes its handlers itself, so they find the counter here. */
    private static volatile Handled handled = new Handled(0);

    private @Nullable HikariDataSource pool;
    private @Nullable StorageProvider storage;

    @Override
    public void open(String url) {
        pool = Pool.open(url, CONNECTIONS);
        storage = SqlStorageProviderFactory.using(pool);
        JobRunr.configure().useStorageProvider(storage).initialize();
    }

    @Override
    public void put(String payload) {
        BackgroundJobRequest.enqueue(new Task(payload));
    }

    @Override
    public void putAll(List<String> payloads) {
        BackgroundJobRequest.enqueue(payloads.stream().map(Task::new));
    }

    @Override
    public void work(Handled counter, Mode mode) {
        handled = counter;
        if (storage == null) {
            throw new IllegalStateException("open it first");
        }
        JobRunr.configure()
                .useStorageProvider(storage)
                .useBackgroundJobServer(BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                        .andWorkerCount(WORKERS)
                        .andPollInterval(POLL))
                .initialize();
    }

    @Override
    public boolean isSettled(long tasks) throws SQLException {
        if (pool == null) {
            throw new IllegalStateException("open it first");
        }
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT NOT EXISTS (SELECT FROM jobrunr_jobs WHERE state IN ('ENQUEUED', 'PROCESSING'))")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    @Override
    public void stop() {
        JobRunr.destroy();
    }

    @Override
    public void close() {
        JobRunr.destroy();
        if (pool != null) {
            pool.close();
            pool = null;
        }
    }

    /** A task as JobRunr writes it. */
    public record Task(String payload) implements JobRequest {
        @Override
        public Class<Handling> getJobRequestHandler() {
            return Handling.class;
        }
    }

    /** Counts a task. */
    public static final class Handling implements JobRequestHandler<Task> {
        @Override
        @Job(retries = 0)
        public void run(Task task) {
            handled.task(task.payload());
        }
    }
}
