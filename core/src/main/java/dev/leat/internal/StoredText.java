package dev.leat.internal;

import org.jspecify.annotations.Nullable;

/** Cuts text to what every storage keeps. */
public final class StoredText {
    /** Of a message, and of a stack trace. */
    public static final int MAX_BYTES = 4_096;

    private static final String MARK = "…";
    private static final int MARK_BYTES = 3;
    /** PostgreSQL refuses NUL and CBOR refuses half a surrogate pair: the settle would fail again and again. */
    private static final char REPLACEMENT = '\uFFFD';

    private StoredText() {}

    /** Without text, such as that of an exception without a message, it is empty: a handler that settles must not fail by it. */
    public static String bounded(@Nullable String text) {
        return text == null ? "" : bounded(text, MAX_BYTES);
    }

    /** At most {@code maxBytes} of UTF-8. Text that is longer ends with {@code …}, never in the middle of a character. */
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
