package dev.leat.storagetests.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.storage.Lock;
import dev.leat.storagetests.ContractTest;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Named, leased locks. Covers N44, rule 19. */
public abstract class LockContract extends ContractTest {
    private Optional<Lock.Held> tryAcquire(String name) {
        return storage.lock().tryAcquire(name, minutes(1));
    }

    private Lock.Held acquire() {
        return tryAcquire("purge").orElseThrow();
    }

    private void assertHeld() {
        assertThat(tryAcquire("purge")).isEmpty();
    }

    @Test
    void aHeldLockIsRefusedToOthers() { // N44
        acquire();

        assertHeld();
    }

    @Test
    void aClosedLockIsFree() {
        acquire().close();

        acquire();

        assertHeld();
    }

    @Test
    void aLockIsFreeWhenItsLeaseHasRunOutAndNotBefore() {
        acquire();

        fixture.advance(seconds(59));
        assertHeld();
        fixture.advance(seconds(1));

        assertThat(tryAcquire("purge")).isPresent();
    }

    @Test
    void aRenewalHoldsTheLockForAnotherLeaseFromNow() {
        Lock.Held held = acquire();
        fixture.advance(seconds(40));

        assertThat(held.renew()).isTrue();

        fixture.advance(seconds(59));
        assertHeld();
        fixture.advance(seconds(1));
        assertThat(tryAcquire("purge")).isPresent();
    }

    @Test
    void aLockCanBeRenewedAgainAndAgain() {
        Lock.Held held = acquire();

        for (int i = 0; i < 5; i++) {
            fixture.advance(seconds(50));
            assertThat(held.renew()).isTrue();
            assertHeld();
        }
    }

    @Test
    void aLockWhoseLeaseHasRunOutCannotBeRenewed() {
        Lock.Held held = acquire();

        fixture.advance(minutes(1));

        assertThat(held.renew()).isFalse();
        assertThat(tryAcquire("purge")).isPresent();
    }

    @Test
    void aLockThatAnotherHasGotCannotBeRenewed() {
        Lock.Held lost = acquire();
        fixture.advance(minutes(1));
        Lock.Held held = acquire();

        assertThat(lost.renew()).isFalse();

        assertThat(held.renew()).isTrue();
    }

    @Test
    void aClosedLockCannotBeRenewed() {
        Lock.Held held = acquire();
        held.close();

        assertThat(held.renew()).isFalse();

        assertThat(tryAcquire("purge")).isPresent();
    }

    @Test
    void closingALostLockDoesNotFreeItForOthers() {
        Lock.Held lost = acquire();
        fixture.advance(minutes(1));
        acquire();

        lost.close();

        assertHeld();
    }

    @Test
    void closingALockTwiceDoesNotFreeTheNextHolders() {
        Lock.Held first = acquire();
        first.close();
        acquire();

        first.close();

        assertHeld();
    }

    @Test
    void locksOfDifferentNamesAreIndependent() {
        Lock.Held held = acquire();

        assertThat(tryAcquire("notify")).isPresent();
        assertThat(tryAcquire("Purge")).isPresent();
        held.close();

        assertThat(tryAcquire("notify")).isEmpty();
    }

    @Test
    void locksAndTasksHaveNothingToDoWithEachOther() { // N.3-5: there, locks 1 to 3 collided with task ids
        long id = put("a");
        assertThat(tryAcquire(Long.toString(id))).isPresent();
        assertThat(tryAcquire(Q)).isPresent();

        assertThat(takeIds(1)).containsExactly(id);
    }
}
