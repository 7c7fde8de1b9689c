package dev.leat.storagetests.group;

import dev.leat.storage.Storage;
import dev.leat.storagetests.StorageFixture;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Groups end exactly once, whoever starts, cancels and works them off at the same moment. Covers R33, R35, rule 18. */
public abstract class GroupRaceContract {
    private static final int GROUPS = 1_000;
    private static final int THREADS = 8;

    protected abstract StorageFixture newFixture();

    @Test
    void manyGroupsEndOnceHoweverTheyAreRaced() { // R33, R35
        try (StorageFixture fixture = newFixture();
                Storage storage = fixture.inRealTime()) {
            GroupRace race = GroupRace.of(fixture.enough(GROUPS), storage);

            race.run(THREADS, List.of(storage));

            race.assertEachEndedOnce(storage);
        }
    }
}
