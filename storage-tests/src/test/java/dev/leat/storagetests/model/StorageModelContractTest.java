package dev.leat.storagetests.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.error.StorageException;
import dev.leat.storage.Storage;
import dev.leat.storagetests.StorageFixture;
import java.time.Duration;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** What the contract does with storages that fail. */
class StorageModelContractTest {

    /** A contract for storages that cannot even be opened; counts its fixtures. */
    private static final class Failing extends StorageModelContract {
        private final IntFunction<String> messages;
        private int opened;
        private int closed;

        /** @param messages what the fixture of a number fails with */
        Failing(IntFunction<String> messages) {
            super(1);
            this.messages = messages;
        }

        @Override
        protected StorageFixture newFixture() {
            int number = ++opened;
            return new StorageFixture() {
                @Override
                public Storage storage() {
                    throw new StorageException(messages.apply(number));
                }

                @Override
                public void advance(Duration by) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public Storage inRealTime() {
                    throw new UnsupportedOperationException();
                }

                @Override
                public void close() {
                    closed++;
                }
            };
        }
    }

    @Test
    void everyFixtureIsClosedAlsoWhenItsStorageCannotBeUsed() {
        Failing contract = new Failing(number -> "page " + number + " is damaged");

        assertThatThrownBy(contract::aStorageDoesWhatTheModelDoes).hasMessageMatching(".* page \\d+ is damaged");

        assertThat(contract.opened).isGreaterThan(1);
        assertThat(contract.closed).isEqualTo(contract.opened);
    }

    @Test
    void aFailureOfAnotherKindDoesNotReplaceTheFirstOne() {
        Failing contract = new Failing(number -> number == 1 ? "page 1 is damaged" : "too many connections");

        assertThatThrownBy(contract::aStorageDoesWhatTheModelDoes).hasMessageEndingWith("page 1 is damaged");
    }
}
