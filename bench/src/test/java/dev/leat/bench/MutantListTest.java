package dev.leat.bench;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Whoever changes a line that a mutant breaks has to look at the mutant again: a stale one proves nothing. */
class MutantListTest {
    private static final Path SOURCES = Path.of("../core/src/main/java");

    @Test
    void noMutantIsStale() throws IOException {
        assertAll(Mutant.readAll().stream()
                .map(mutant -> () ->
                        assertDoesNotThrow(() -> mutant.applyTo(Files.readString(SOURCES.resolve(mutant.file()))))));
    }
}
