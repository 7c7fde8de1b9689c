package dev.leat.internal;

import org.jspecify.annotations.Nullable;

/** Cuts and cleans text so that every storage accepts it. */
public final class StoredText {
    /** The largest size of a message, and of a stack trace. */
    public static final int MAX_BYTES = 4_096;

    private static final String MARK = "…";
    private static final int MARK_BYTES = 3;
    /** Replaces NUL, which PostgreSQL refuses, and half surrogate pairs, which CBOR refuses; the settle would fail for ever. */
    private static final char REPLACEMENT = '\uFFFD';

    private StoredText() {}

    /** Returns an empty text for null, such as the message of an exception without one, so that the settle succeeds. */
    public static String bounded(@Nullable String text) {
        return text == null ? "" : bounded(text, MAX_BYTES);
    }

    /** Cuts text to {@code maxBytes} of UTF-8, at the border of a character. Cut text ends with {@code …}. */
    public static String bounded(String text, int maxBytes) {
        int bytes = 0;
        int cut = 0;
        boolean storable = true;
        for (int i = 0; i < text.length(); ) {
            int character = text.codePointAt(i);
            bytes += bytesOf(character);
            if (bytes > maxBytes) {
                return storable(text.substring(0, cut), storable) + MARK;
            }
            i += Character.charCount(character);
            cut = bytes <= maxBytes - MARK_BYTES ? i : cut;
            storable &= isStorable(character);
        }
        return storable(text, storable);
    }

    public static int bytesOf(String text) {
        return text.codePoints().map(StoredText::bytesOf).sum();
    }

    private static int bytesOf(int character) {
        if (!isStorable(character)) {
            return bytesOf(REPLACEMENT);
        }
        return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    }

    private static boolean isStorable(int character) {
        return character != 0 && (character < Character.MIN_SURROGATE || character > Character.MAX_SURROGATE);
    }

    private static String storable(String text, boolean isStorable) {
        return isStorable
                ? text
                : text.codePoints()
                        .map(character -> isStorable(character) ? character : REPLACEMENT)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString();
    }
}
