package dev.leat.sql.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class ConnectionPoolTest {
    @Test
    void aThreadThatWasInterruptedAlsoSeesThatNoConnectionIsInUse() {
        ConnectionPool pool = new ConnectionPool(2, true, () -> {
            throw new SQLException("nothing is opened here");
        });

        Thread.currentThread().interrupt();
        boolean quiet = pool.awaitQuiet();

        assertThat(Thread.interrupted()).as("still interrupted").isTrue();
        assertThat(quiet).isTrue();
    }
}
