package dev.leat.bench.sql.contender;

import java.util.ArrayList;
import java.util.List;

/** Payloads of 100 bytes that tell when they were put. */
final class Payloads {
    private static final int STAMP_DIGITS = 20;
    private static final String FILLING = ":" + "x".repeat(79);

    private Payloads() {}

    static String now() {
        String digits = Long.toString(System.nanoTime());
        return "0".repeat(STAMP_DIGITS - digits.length()) + digits + FILLING;
    }

    static List<String> now(int count) {
        List<String> payloads = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            payloads.add(now());
        }
        return payloads;
    }

    static long stampOf(String payload) {
        return Long.parseLong(payload.substring(0, STAMP_DIGITS));
    }
}
