package dev.leat.sql.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class PoolTest {
    @Test
    void aThreadThatWasInterruptedAlsoSeesThatNoConnectionIsInUse() {
        Pool pool = new Pool(2, true, () -> {
            throw new SQLException("nothing is opened here");
        });

        Thread.currentThread().interrupt();
        boolean quiet = pool.awaitQuiet();

        assertThat(Thread.interrupted()).as("still interrupted").isTrue();
        assertThat(quiet).isTrue();
    }
}
