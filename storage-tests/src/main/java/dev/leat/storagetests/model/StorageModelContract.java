package dev.leat.storagetests.model;

import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.TestLength;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * After any sequence of calls a storage agrees with {@link ReferenceModel}, and every task that was put comes to an end.
 *
 * <p>The sequences are always the same ones, so that a failure is caused by a change of the code: sequence {@code n} is
 * made from the seed {@code -Dleat.model.seed} + n. A failure names its own seed, which repeats that sequence first; any
 * other seed looks for new ones.
 */
public abstract class StorageModelContract {
    private static final long SEED = Long.getLong("leat.model.seed", 20261116);
    /** A try on a database takes about a fifth of a second. */
    private static final int MOST_SHRINKING_TRIES = 2_000;

    private final int sequences;

    /** @param sequences how many sequences the daily check tries; a soak tries four times as many */
    protected StorageModelContract(int sequences) {
        this.sequences = TestLength.of("leat.model.sequences", sequences, 4 * sequences);
    }

    /** A fresh fixture for each sequence. */
    protected abstract StorageFixture newFixture();

    @Test
    void aStorageDoesWhatTheModelDoes() {
        for (long seed = SEED; seed < SEED + sequences; seed++) {
            Sequence sequence = Sequence.ofSeed(seed);
            Optional<Throwable> failure = failureOf(sequence);
            if (failure.isPresent()) {
                throw report(seed, sequence, failure.get());
            }
        }
    }

    private AssertionError report(long seed, Sequence sequence, Throwable failure) {
        Sequence smallest =
                Shrinking.of(sequence, it -> likeFailureOf(it, failure).isPresent(), MOST_SHRINKING_TRIES);
        Throwable shown = likeFailureOf(smallest, failure).orElse(failure);
        return new AssertionError("Repeat with -Dleat.model.seed=" + seed + ". " + shown.getMessage(), shown);
    }

    /** Empty also for a failure of another kind: a database that has no more connections must not hide the first failure. */
    private Optional<Throwable> likeFailureOf(Sequence sequence, Throwable failure) {
        return failureOf(sequence).filter(found -> kind(found).equals(kind(failure)));
    }

    /** The first line up to its first number; the number may differ between sequences. */
    private static String kind(Throwable failure) {
        return String.valueOf(failure.getMessage()).split("[\\d\\n\\r]", 2)[0];
    }

    private Optional<Throwable> failureOf(Sequence sequence) {
        try (StorageFixture fixture = newFixture()) {
            new Trial(fixture, sequence.script()).run();
            return Optional.empty();
        } catch (AssertionError | RuntimeException e) {
            return Optional.of(e);
        }
    }
}
