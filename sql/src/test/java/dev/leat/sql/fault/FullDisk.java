package dev.leat.sql.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.NewTask;
import dev.leat.error.StorageException;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Fills a storage until its disk is full. */
public final class FullDisk {
    public static final String Q = "q";
    private static final int LARGE = 1 << 20;
    private static final int MORE_THAN_FITS = 1_000;

    private FullDisk() {}

    /** Puts until a put fails, which says that the disk is full; what was accepted before is there. Answers its ids. */
    public static List<Long> fill(Storage storage) {
        storage.queues().create(Q, QueueOptions.standard());
        byte[] noise = new byte[LARGE];
        new Random(1).nextBytes(noise);
        List<Long> accepted = new ArrayList<>();

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> {
                    for (int i = 0; i < MORE_THAN_FITS; i++) {
                        NewTask task = NewTask.to(Q).payload(noise).build();
                        accepted.add(storage.put(List.of(task)).get(0).id());
                    }
                })
                .withMessageContaining("full");

        assertThat(accepted).isNotEmpty();
        assertThat(storage.queues().stats(Q).live()).isEqualTo(accepted.size());
        return accepted;
    }
}
