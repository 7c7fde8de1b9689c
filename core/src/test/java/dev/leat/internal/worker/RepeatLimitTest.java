package dev.leat.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;

/** What is written of lines that are alike, and what is only counted. */
class RepeatLimitTest {
    private static final RepeatLimit.Kind TIMEOUTS = kind("Timeout");

    private final Lines lines = new Lines();
    private final Deque<Runnable> ends = new ArrayDeque<>();
    private final RepeatLimit limit = new RepeatLimit(lines, (run, delay) -> {
        assertThat(delay).isEqualTo(RepeatLimit.WINDOW);
        ends.add(run);
    });

    private static RepeatLimit.Kind kind(String error) {
        return new RepeatLimit.Kind(Level.WARN, "emails", error, " at Mailer.send");
    }

    private int written(RepeatLimit.Kind kind, int times) {
        int written = 0;
        for (int i = 1; i <= times; i++) {
            written += limit.admits(kind, "line " + i) ? 1 : 0;
        }
        return written;
    }

    private void aMinutePasses() {
        List<Runnable> due = new ArrayList<>(ends);
        ends.clear();
        due.forEach(Runnable::run);
    }

    @Test
    void fiveLinesAreWrittenAndTheOthersAreToldTogether() {
        assertThat(written(TIMEOUTS, 4_817)).isEqualTo(5);
        aMinutePasses();

        assertThat(lines.written)
                .containsExactly(
                        "WARN And 4,812 more like it in queue 'emails': Timeout at Mailer.send. The last: line 4817");
    }

    @Test
    void whileItGoesOnThereIsOneLineAMinute() {
        written(TIMEOUTS, 100);
        for (int minute = 0; minute < 3; minute++) {
            aMinutePasses();
            assertThat(written(TIMEOUTS, 100)).isZero();
        }

        assertThat(lines.written).hasSize(3);
    }

    @Test
    void afterAMinuteWithFewTheyAreWrittenAgain() {
        written(TIMEOUTS, 8);
        aMinutePasses();

        assertThat(written(TIMEOUTS, 1)).isOne();
    }

    @Test
    void fewLinesLeaveNothingBehind() {
        written(TIMEOUTS, 5);
        aMinutePasses();

        assertThat(lines.written).isEmpty();
        assertThat(ends).isEmpty();
    }

    @Test
    void eachKindHasItsOwnLines() {
        written(TIMEOUTS, 100);

        assertThat(written(kind("NoRoute"), 100)).isEqualTo(5);
    }

    @Test
    void manyKindsShareTheirLines() {
        int written = 0;
        for (int i = 0; i < 10_000; i++) {
            written += written(kind("Error" + i), 1);
        }

        assertThat(written).isEqualTo(RepeatLimit.MOST_KINDS + RepeatLimit.WRITTEN);
        assertThat(ends).hasSize(RepeatLimit.MOST_KINDS + 1);
    }

    @Test
    void aCloseTellsWhatWasOnlyCounted() {
        written(TIMEOUTS, 7);

        limit.close();

        assertThat(lines.written).hasSize(1).first().asString().contains("And 2 more like it");
    }

    /** Keeps what is logged. */
    private static final class Lines extends LegacyAbstractLogger {
        private final List<String> written = new ArrayList<>();

        @Override
        protected String getFullyQualifiedCallerName() {
            return "";
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level, Marker marker, String message, Object[] arguments, Throwable error) {
            written.add(level + " " + message);
        }

        @Override
        public boolean isTraceEnabled() {
            return true;
        }

        @Override
        public boolean isDebugEnabled() {
            return true;
        }

        @Override
        public boolean isInfoEnabled() {
            return true;
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }
    }
}
