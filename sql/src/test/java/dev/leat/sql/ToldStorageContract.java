package dev.leat.sql;

import dev.leat.QueueInfo;
import dev.leat.QueueOptions;
import dev.leat.storage.Notice;
import org.junit.jupiter.api.Test;

/** The same where every change is told, and not only what a look from time to time can see. */
abstract class ToldStorageContract extends SharedStorageContract {
    @Test
    void aFreedPlaceIsToldToTheListenersOfTheOther() {
        here.declareQueue(Q, QueueOptions.builder().capacity(1).build(), QueueInfo.SetBy.CODE);
        long id = put(here);

        assertHeardThere(new Notice.Ready(Q), () -> here.delete(id));
    }
}
