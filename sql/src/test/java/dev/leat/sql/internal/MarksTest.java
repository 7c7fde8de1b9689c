package dev.leat.sql.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** No row that this process knows of is passed by a mark. */
class MarksTest {
    private static final long QUEUE = 1;
    private static final int ANY_PRIORITY = Integer.MAX_VALUE;
    /** So long that the next read from the head is far away. */
    private static final long LONG = TimeUnit.MINUTES.toNanos(1);

    private final Marks marks = new Marks();

    @Test
    void theFirstReadBeginsAtTheHeadAndTheNextOneWhereItEnded() {
        assertThat(marks.begin(QUEUE, ANY_PRIORITY).isHead()).isTrue();

        readFromHead(new Marks.Seen(0, 10), new Marks.Seen(3, 7));

        assertThat(nextAfter()).isEqualTo(Map.of(0, 10L, 3, 7L));
    }

    @Test
    void noPriorityIsLeftOutBetweenTheMarks() {
        readFromHead(new Marks.Seen(0, 10), new Marks.Seen(3, 7));

        Marks.Start start = marks.begin(QUEUE, ANY_PRIORITY);

        assertThat(start.from()).containsExactly(Integer.MIN_VALUE, 0, 3);
        assertThat(start.after()).containsExactly(0, 10, 7);
        assertThat(start.below()).containsExactly(0, 3, ANY_PRIORITY + 1L);
    }

    @Test
    void onlyPrioritiesThatAreWantedAreRead() {
        readFromHead(new Marks.Seen(0, 10), new Marks.Seen(3, 7));

        Marks.Start start = marks.begin(QUEUE, 2);

        assertThat(start.from()).containsExactly(Integer.MIN_VALUE, 0);
        assertThat(start.below()).containsExactly(0, 3);
    }

    @Test
    void aPutLowersTheMarkOfItsPriority() {
        readFromHead(new Marks.Seen(0, 10));

        marks.lower(QUEUE, 0, 4);

        assertThat(nextAfter()).isEqualTo(Map.of(0, 3L));
    }

    @Test
    void aPutAfterAReadThatFoundNothingHidesNothingBeforeIt() {
        readFromHead(); // of nothing but more important tasks, say

        marks.lower(QUEUE, 0, 20);

        assertThat(marks.begin(QUEUE, ANY_PRIORITY).isHead()).isTrue();
    }

    @Test
    void aPutOfAPriorityThatWasNotReadHidesNothingBeforeIt() {
        readFromHead(new Marks.Seen(0, 10), new Marks.Seen(5, 11));

        marks.lower(QUEUE, 3, 20);
        marks.lower(QUEUE, 7, 21);

        assertThat(nextAfter()).isEqualTo(Map.of(0, 10L, 5, 11L));
    }

    @Test
    void aReadDoesNotPassWhatIsPutWhileItRuns() {
        readFromHead(new Marks.Seen(0, 10));
        Marks.Start slow = marks.begin(QUEUE, ANY_PRIORITY);

        marks.lower(QUEUE, 0, 12);
        marks.end(QUEUE, slow, List.of(new Marks.Seen(0, 15)), List.of(), LONG);

        assertThat(nextAfter()).isEqualTo(Map.of(0, 11L));
    }

    @Test
    void aReadDoesNotPassWhatAnotherOneLeft() {
        readFromHead(new Marks.Seen(0, 10));
        Marks.Start leaving = marks.begin(QUEUE, ANY_PRIORITY);
        Marks.Start before = marks.begin(QUEUE, ANY_PRIORITY);
        Marks.Start after = marks.begin(QUEUE, ANY_PRIORITY);

        marks.end(QUEUE, before, List.of(new Marks.Seen(0, 15)), List.of(), LONG);
        marks.end(QUEUE, leaving, List.of(), List.of(new Marks.Seen(0, 12)), LONG);
        marks.end(QUEUE, after, List.of(new Marks.Seen(0, 18)), List.of(), LONG);

        assertThat(nextAfter()).isEqualTo(Map.of(0, 11L));
    }

    @Test
    void afterAReadThatFailedTheNextOneBeginsAtTheHead() {
        readFromHead(new Marks.Seen(0, 10));

        marks.fail(QUEUE, marks.begin(QUEUE, ANY_PRIORITY));

        assertThat(marks.begin(QUEUE, ANY_PRIORITY).isHead()).isTrue();
    }

    @Test
    void whoeverFindsWhatHadBeenPassedLooksAtTheHeadAgain() {
        readFromHead(new Marks.Seen(0, 10));
        marks.fail(QUEUE, marks.begin(QUEUE, ANY_PRIORITY));

        readFromHead(new Marks.Seen(0, 5));

        readFromHead(new Marks.Seen(0, 12));
        assertThat(nextAfter()).isEqualTo(Map.of(0, 12L));
    }

    @Test
    void whatAReadFromTheHeadHadLockedWhenOthersPassedItIsNoReasonToLookAgain() {
        readFromHead(new Marks.Seen(0, 10));
        marks.fail(QUEUE, marks.begin(QUEUE, ANY_PRIORITY));
        Marks.Start slow = marks.begin(QUEUE, ANY_PRIORITY);

        marks.end(QUEUE, marks.begin(QUEUE, ANY_PRIORITY), List.of(new Marks.Seen(0, 30)), List.of(), LONG);
        marks.end(QUEUE, slow, List.of(new Marks.Seen(0, 20)), List.of(), LONG);

        assertThat(nextAfter()).isEqualTo(Map.of(0, 30L));
    }

    @Test
    void whatAReadFromTheHeadLeftRightBehindTheMarkHadNotBeenPassed() {
        readFromHead(new Marks.Seen(0, 10));
        marks.fail(QUEUE, marks.begin(QUEUE, ANY_PRIORITY));

        Marks.Start head = marks.begin(QUEUE, ANY_PRIORITY);
        marks.end(QUEUE, head, List.of(new Marks.Seen(0, 10)), List.of(new Marks.Seen(0, 11)), LONG);

        assertThat(nextAfter()).isEqualTo(Map.of(0, 10L));
    }

    private void readFromHead(Marks.Seen... farthest) {
        Marks.Start start = marks.begin(QUEUE, ANY_PRIORITY);
        assertThat(start.isHead()).isTrue();
        marks.end(QUEUE, start, List.of(farthest), List.of(), LONG);
    }

    private Map<Integer, Long> nextAfter() {
        Marks.Start start = marks.begin(QUEUE, ANY_PRIORITY);
        assertThat(start.isHead()).isFalse();
        Map<Integer, Long> after = new TreeMap<>();
        IntStream.range(1, start.from().length).forEach(i -> after.put(start.from()[i], start.after()[i]));
        return after;
    }
}
