package dev.leat.bench.sql.contender;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** The connection pool of those who do not bring their own. */
final class Pool {
    private Pool() {}

    /** @param size at least as many as there are putting and working threads, so that nobody waits for a connection */
    static HikariDataSource open(String url, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        // Batches of inserts go as one statement; the peers' batch puts are two to three times as fast with it.
        config.addDataSourceProperty("reWriteBatchedInserts", "true");
        return new HikariDataSource(config);
    }
}
