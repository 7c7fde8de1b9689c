package dev.leat.storagetests;

/**
 * How long tests by chance are: random sequences, random kills, random input. The daily check runs a third to a
 * fortieth of what {@code ./check --soak} runs; CONTRIBUTING.md lists each.
 */
public final class TestLength {
    private static final boolean SOAK = Boolean.getBoolean("leat.soak");

    private TestLength() {}

    /** What the system property of that name says; without it {@code daily}, or {@code soak} in a soak. */
    public static int of(String property, int daily, int soak) {
        return Integer.getInteger(property, SOAK ? soak : daily);
    }
}
