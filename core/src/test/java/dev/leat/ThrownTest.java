package dev.leat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is kept of an exception, and how it is cut. */
class ThrownTest {
    private static final Lease LEASE = Lease.of(1, 2);

    private static String keptOf(Throwable failure) {
        String kept = Thrown.of(failure).stackTrace();
        assertThat(kept.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(4_096);
        return kept;
    }

    /** With the stack of so many calls. */
    private static <T extends Throwable> T deep(T failure, int calls) {
        StackTraceElement[] stack = new StackTraceElement[calls];
        for (int i = 0; i < calls; i++) {
            stack[i] = new StackTraceElement("com.acme.Mailer", "call" + i, "Mailer.java", i + 1);
        }
        failure.setStackTrace(stack);
        return failure;
    }

    @Test
    void aShortStackTraceIsKeptAsJavaPrintsIt() {
        Exception failure = deep(new IllegalStateException("no", deep(new IOException("closed"), 3)), 2);

        Thrown thrown = Thrown.of(failure);

        assertThat(thrown.exception()).isEqualTo("java.lang.IllegalStateException");
        assertThat(thrown.stackTrace()).isEqualTo("""
            java.lang.IllegalStateException: no
            \tat com.acme.Mailer.call0(Mailer.java:1)
            \tat com.acme.Mailer.call1(Mailer.java:2)
            Caused by: java.io.IOException: closed
            \tat com.acme.Mailer.call0(Mailer.java:1)
            \tat com.acme.Mailer.call1(Mailer.java:2)
            \tat com.acme.Mailer.call2(Mailer.java:3)\
            """);
    }

    @Test
    void aLongOneKeepsTheFirstLinesOfTheExceptionAndOfEachCause() {
        Exception root = deep(new IOException("closed"), 300);
        Exception failure = deep(new IllegalStateException("no", deep(new RuntimeException("why", root), 300)), 300);

        String kept = keptOf(failure);

        assertThat(kept.lines().filter(line -> !line.startsWith("\t")))
                .containsExactly(
                        "java.lang.IllegalStateException: no",
                        "Caused by: java.lang.RuntimeException: why",
                        "Caused by: java.io.IOException: closed");
        assertThat(kept.split("call10\\(", -1)).hasSize(4);
        assertThat(kept.lines().filter(line -> line.matches("\t… 2\\d\\d lines left out")))
                .hasSize(3);
        assertThat(kept.length()).isGreaterThan(3_900);
    }

    @Test
    void ofAVeryLongChainTheFirstCausesAndTheLastAreKept() {
        Exception failure = deep(new IOException("the root"), 100);
        for (int i = 1; i <= 99; i++) {
            failure = deep(new IllegalStateException("level " + i + " " + "ü".repeat(1_000), failure), 100);
        }

        String kept = keptOf(failure);

        assertThat(kept).startsWith("java.lang.IllegalStateException: level 99 üü");
        assertThat(kept).contains("\nCaused by: java.lang.IllegalStateException: level 93 üü");
        assertThat(kept).contains("\n… 92 causes left out; caused by: java.io.IOException: the root\n\tat com.acme");
    }

    @Test
    void anExceptionThatIsItsOwnCauseEndsSomewhere() {
        Exception first = deep(new IllegalStateException("first"), 300);
        Exception second = deep(new IllegalStateException("second", first), 300);
        first.initCause(second);

        assertThat(keptOf(first).lines().filter(line -> line.startsWith("Caused by")))
                .hasSize(1);
    }

    @Test
    void anExceptionThatCannotDescribeItselfIsKnownByItsClass() {
        class Broken extends RuntimeException {
            @Override
            public String getMessage() {
                throw new IllegalStateException("not now");
            }
        }

        Settle.Fail fail = Settle.fail(LEASE, new Broken());

        assertThat(fail.message()).isEqualTo(Broken.class.getName());
        assertThat(fail.thrown().orElseThrow().stackTrace()).contains(Broken.class.getName());
    }

    @Test
    void anExceptionWhoseMessageOverflowsTheStackIsKnownByItsClass() {
        List<Object> order = new ArrayList<>();
        order.add(List.of(order));
        class Broken extends RuntimeException {
            @Override
            public String getMessage() {
                return "cannot ship " + order;
            }
        }

        Settle.Fail fail = Settle.fail(LEASE, new Broken());

        assertThat(fail.message()).isEqualTo(Broken.class.getName());
        assertThat(fail.thrown().orElseThrow().stackTrace()).contains(Broken.class.getName());
    }

    @Test
    void aHandlerMayAcknowledgeAndFailWithoutAMessage() throws InterruptedException {
        try (Leat leat = Leat.open("memory:")) {
            leat.queue("q")
                    .declare(QueueOptions.builder()
                            .retry(RetryPolicy.standard().maxFailures(1))
                            .build());
            leat.worker()
                    .handle("q", String.class, (payload, task) -> {
                        String none = new IOException().getMessage();
                        SettleResult result = payload.equals("ack") ? task.ack(none) : task.fail(none);
                        assertThat(result.status()).isEqualTo(SettleResult.Status.DONE);
                    })
                    .start();
            long acknowledged = leat.put("q", "ack");
            long failed = leat.put("q", "fail");

            leat.outcomes().await(acknowledged, Duration.ofSeconds(20));
            leat.outcomes().await(failed, Duration.ofSeconds(20));

            assertThat(leat.peek(acknowledged).orElseThrow().state()).isEqualTo(TaskState.DONE);
            assertThat(leat.attempts(failed)).singleElement().satisfies(attempt -> assertThat(attempt.message())
                    .isEmpty());
        }
    }

    @Test
    void aMessageIsCutBetweenTwoCharacters() {
        for (String text : new String[] {"x", "ü", "€", "🚪", "x🚪"}) {
            String message = Settle.fail(LEASE, text.repeat(5_000)).message();

            assertThat(message).endsWith("…").doesNotContain("\ufffd");
            assertThat(message.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(4_092, 4_096);
        }
        assertThat(Settle.fail(LEASE, "ü".repeat(2_048)).message()).isEqualTo("ü".repeat(2_048));
    }

    @Test
    void theWorkerKeepsWhatAHandlerThrows() throws InterruptedException {
        try (Leat leat = Leat.open("memory:")) {
            leat.queue("q")
                    .declare(QueueOptions.builder()
                            .retry(RetryPolicy.standard().maxFailures(1))
                            .build());
            leat.worker()
                    .handle("q", String.class, (payload, task) -> {
                        throw new IOException("closed");
                    })
                    .start();
            long id = leat.put("q", "hello");
            leat.outcomes().await(id, Duration.ofSeconds(20));

            assertThat(leat.attempts(id)).singleElement().satisfies(attempt -> {
                assertThat(attempt.message()).isEqualTo("java.io.IOException: closed");
                assertThat(attempt.thrown().orElseThrow().exception()).isEqualTo("java.io.IOException");
                assertThat(attempt.thrown().orElseThrow().stackTrace())
                        .startsWith("java.io.IOException: closed\n\tat dev.leat.ThrownTest.");
            });
        }
    }
}
