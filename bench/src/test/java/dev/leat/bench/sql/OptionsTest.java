package dev.leat.bench.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OptionsTest {
    @Test
    void roundsCountBeforeAndAfterQuick() {
        assertEquals(6, parse("--quick", "--rounds=6").rounds());
        assertEquals(6, parse("--rounds=6", "--quick").rounds());
        assertEquals(1, parse("--quick").rounds());
        assertEquals(3, parse().rounds());
    }

    @Test
    void theCommitIsTheWordAfterAgainst() {
        Options options = parse("--against", "HEAD~5", "--only=leat", "W2");

        assertEquals(Optional.of("HEAD~5"), options.against());
        assertEquals(
                List.of("W2"), options.workloads().stream().map(Workload::name).toList());
        assertEquals(Optional.of("HEAD~5"), parse("--against=HEAD~5").against());
        assertEquals(Optional.empty(), parse("W2").against());
    }

    @Test
    void againstNeedsACommitAndLeat() {
        assertEquals(Optional.empty(), Options.parse(new String[] {"W2", "--against"}));
        assertEquals(Optional.empty(), Options.parse(new String[] {"--against", "--quick"}));
        assertEquals(Optional.empty(), Options.parse(new String[] {"--against", "HEAD", "--only=jobrunr"}));
    }

    private static Options parse(String... args) {
        return Options.parse(args).orElseThrow();
    }
}
