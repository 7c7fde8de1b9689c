package dev.leat.sql.internal.fast;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** No row that this process knows of is passed by a mark. */
class WatermarksTest {
    private static final long QUEUE = 1;
    private static final int ANY_PRIORITY = Integer.MAX_VALUE;
    /** So long that the next read from the head is far away. */
    private static final long LONG = TimeUnit.MINUTES.toNanos(1);

    private final Watermarks watermarks = new Watermarks();

    @Test
    void theFirstReadBeginsAtTheHeadAndTheNextOneWhereItEnded() {
        assertThat(watermarks.begin(QUEUE, ANY_PRIORITY).isHead()).isTrue();

        readFromHead(new Watermarks.Seen(0, 10), new Watermarks.Seen(3, 7));

        assertThat(nextAfter()).isEqualTo(Map.of(0, 10L, 3, 7L));
    }

    @Test
    void noPriorityIsLeftOutBetweenTheMarks() {
        readFromHead(new Watermarks.Seen(0, 10), new Watermarks.Seen(3, 7));

        Watermarks.Start start = watermarks.begin(QUEUE, ANY_PRIORITY);

        assertThat(start.from()).containsExactly(Integer.MIN_VALUE, 0, 3);
        assertThat(start.after()).containsExactly(0, 10, 7);
        assertThat(start.below()).containsExactly(0, 3, ANY_PRIORITY + 1L);
    }

    @Test
    void onlyPrioritiesThatAreWantedAreRead() {
        readFromHead(new Watermarks.Seen(0, 10), new Watermarks.Seen(3, 7));

        Watermarks.Start start = watermarks.begin(QUEUE, 2);

        assertThat(start.from()).containsExactly(Integer.MIN_VALUE, 0);
        assertThat(start.below()).containsExactly(0, 3);
    }

    @Test
    void aPutLowersTheMarkOfItsPriority() {
        readFromHead(new Watermarks.Seen(0, 10));

        watermarks.lower(QUEUE, 0, 4);

        assertThat(nextAfter()).isEqualTo(Map.of(0, 3L));
    }

    @Test
    void aPutAfterAReadThatFoundNothingHidesNothingBeforeIt() {
        readFromHead(); // of nothing but more important tasks, say

        watermarks.lower(QUEUE, 0, 20);

        assertThat(watermarks.begin(QUEUE, ANY_PRIORITY).isHead()).isTrue();
    }

    @Test
    void aPutOfAPriorityThatWasNotReadHidesNothingBeforeIt() {
        readFromHead(new Watermarks.Seen(0, 10), new Watermarks.Seen(5, 11));

        watermarks.lower(QUEUE, 3, 20);
        watermarks.lower(QUEUE, 7, 21);

        assertThat(nextAfter()).isEqualTo(Map.of(0, 10L, 5, 11L));
    }

    @Test
    void aReadDoesNotPassWhatIsPutWhileItRuns() {
        readFromHead(new Watermarks.Seen(0, 10));
        Watermarks.Start slow = watermarks.begin(QUEUE, ANY_PRIORITY);

        watermarks.lower(QUEUE, 0, 12);
        watermarks.end(QUEUE, slow, List.of(new Watermarks.Seen(0, 15)), List.of(), LONG);

        assertThat(nextAfter()).isEqualTo(Map.of(0, 11L));
    }

    @Test
    void aReadDoesNotPassWhatAnotherOneLeft() {
        readFromHead(new Watermarks.Seen(0, 10));
        Watermarks.Start leaving = watermarks.begin(QUEUE, ANY_PRIORITY);
        Watermarks.Start before = watermarks.begin(QUEUE, ANY_PRIORITY);
        Watermarks.Start after = watermarks.begin(QUEUE, ANY_PRIORITY);

        watermarks.end(QUEUE, before, List.of(new Watermarks.Seen(0, 15)), List.of(), LONG);
        watermarks.end(QUEUE, leaving, List.of(), List.of(new Watermarks.Seen(0, 12)), LONG);
        watermarks.end(QUEUE, after, List.of(new Watermarks.Seen(0, 18)), List.of(), LONG);

        assertThat(nextAfter()).isEqualTo(Map.of(0, 11L));
    }

    @Test
    void afterAReadThatFailedTheNextOneBeginsAtTheHead() {
        readFromHead(new Watermarks.Seen(0, 10));

        watermarks.fail(QUEUE, watermarks.begin(QUEUE, ANY_PRIORITY));

        assertThat(watermarks.begin(QUEUE, ANY_PRIORITY).isHead()).isTrue();
    }

    @Test
    void whoeverFindsWhatHadBeenPassedLooksAtTheHeadAgain() {
        readFromHead(new Watermarks.Seen(0, 10));
        watermarks.fail(QUEUE, watermarks.begin(QUEUE, ANY_PRIORITY));

        readFromHead(new Watermarks.Seen(0, 5));

        readFromHead(new Watermarks.Seen(0, 12));
        assertThat(nextAfter()).isEqualTo(Map.of(0, 12L));
    }

    @Test
    void whatAReadFromTheHeadHadLockedWhenOthersPassedItIsNoReasonToLookAgain() {
        readFromHead(new Watermarks.Seen(0, 10));
        watermarks.fail(QUEUE, watermarks.begin(QUEUE, ANY_PRIORITY));
        Watermarks.Start slow = watermarks.begin(QUEUE, ANY_PRIORITY);

        watermarks.end(
                QUEUE, watermarks.begin(QUEUE, ANY_PRIORITY), List.of(new Watermarks.Seen(0, 30)), List.of(), LONG);
        watermarks.end(QUEUE, slow, List.of(new Watermarks.Seen(0, 20)), List.of(), LONG);

        assertThat(nextAfter()).isEqualTo(Map.of(0, 30L));
    }

    @Test
    void whatAReadFromTheHeadLeftRightBehindTheMarkHadNotBeenPassed() {
        readFromHead(new Watermarks.Seen(0, 10));
        watermarks.fail(QUEUE, watermarks.begin(QUEUE, ANY_PRIORITY));

        Watermarks.Start head = watermarks.begin(QUEUE, ANY_PRIORITY);
        watermarks.end(QUEUE, head, List.of(new Watermarks.Seen(0, 10)), List.of(new Watermarks.Seen(0, 11)), LONG);

        assertThat(nextAfter()).isEqualTo(Map.of(0, 10L));
    }

    private void readFromHead(Watermarks.Seen... farthest) {
        Watermarks.Start start = watermarks.begin(QUEUE, ANY_PRIORITY);
        assertThat(start.isHead()).isTrue();
        watermarks.end(QUEUE, start, List.of(farthest), List.of(), LONG);
    }

    private Map<Integer, Long> nextAfter() {
        Watermarks.Start start = watermarks.begin(QUEUE, ANY_PRIORITY);
        assertThat(start.isHead()).isFalse();
        Map<Integer, Long> after = new TreeMap<>();
        IntStream.range(1, start.from().length).forEach(i -> after.put(start.from()[i], start.after()[i]));
        return after;
    }
}
