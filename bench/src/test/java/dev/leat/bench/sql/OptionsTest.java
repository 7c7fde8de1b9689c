package dev.leat.bench.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class OptionsTest {
    @Test
    void roundsCountBeforeAndAfterQuick() {
        assertEquals(6, parse("--quick", "--rounds=6").rounds());
        assertEquals(6, parse("--rounds=6", "--quick").rounds());
        assertEquals(1, parse("--quick").rounds());
        assertEquals(3, parse().rounds());
    }

    private static Options parse(String... args) {
        return Options.parse(args).orElseThrow();
    }
}
