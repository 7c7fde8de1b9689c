package dev.leat.storagetests;

/**
 * The length of random tests: sequences, kills, input. The daily check runs a third to a
 * fortieth of what {@code ./check --soak} runs; CONTRIBUTING.md lists each.
 */
public final class TestLength {
    private static final boolean SOAK = Boolean.getBoolean("leat.soak");

    private TestLength() {}

    /** The value of the system property; by default {@code daily}, or {@code soak} in a soak. */
    public static int of(String property, int daily, int soak) {
        return Integer.getInteger(property, SOAK ? soak : daily);
    }
}
