package dev.leat.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IsoDurationsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            must be at most PT5M, was PT1H30M | must be at most 5m, was 1h30m
            the worker's limit is PT5M, the queue's PT1S | the worker's limit is 5m, the queue's 1s
            No queue named 'PT5M', within PT5M | No queue named 'PT5M', within 5m
            "PT5M" costs $1                   | "PT5M" costs $1
            PT1S2M is not a duration          | PT1S2M is not a duration
            """)
    void durationsAreWrittenForPeopleExceptInQuotes(String text, String plain) {
        assertThat(IsoDurations.plain(text)).isEqualTo(plain);
    }
}
