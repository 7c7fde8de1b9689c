package dev.leat.storagetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leat.error.UnsupportedByStorageException;
import dev.leat.storage.Capability;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** A storage refuses every call that its capabilities exclude. Covers rule 15. */
public abstract class CapabilityContract extends ContractTest {
    /** A connection without a database: every call fails. */
    private static Connection connectionToNowhere() {
        return (Connection) Proxy.newProxyInstance(
                CapabilityContract.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    @Test
    void aCallersTransactionIsJoinedOrRefusedAsTheCapabilitiesSay() { // R6
        Throwable refusal = catchThrowable(() -> storage.with(connectionToNowhere()));

        if (storage.capabilities().contains(Capability.CALLER_TRANSACTION)) {
            assertThat(refusal).isNull();
        } else {
            assertThat(refusal)
                    .isInstanceOf(UnsupportedByStorageException.class)
                    .hasMessageContaining("'" + storage.name() + "'")
                    .hasMessageContaining("transaction");
        }
    }

    @Test
    void aRefusedTransactionLeavesTheStorageAsItWas() {
        long id = put("a");

        Throwable ignored = catchThrowable(() -> storage.with(connectionToNowhere()));

        assertThat(takeIds(9)).as("after %s", ignored).containsExactly(id);
    }

    @Test
    void handlersInATransactionAreServedOrRefusedAsTheCapabilitiesSay() {
        Throwable refusal = catchThrowable(() -> storage.begin().close());

        if (storage.capabilities().contains(Capability.HANDLER_TRANSACTION)) {
            assertThat(refusal).isNull();
        } else {
            assertThat(refusal)
                    .isInstanceOf(UnsupportedByStorageException.class)
                    .hasMessageContaining("'" + storage.name() + "'")
                    .hasMessageContaining("transaction");
        }
    }

    @Test
    void theStoragesOwnClockDecides() { // rule 24
        Instant before = storage.now();

        fixture.advance(seconds(5));

        assertThat(storage.now()).isEqualTo(before.plus(seconds(5)));
    }
}
