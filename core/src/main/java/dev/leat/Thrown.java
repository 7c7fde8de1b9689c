package dev.leat;

import dev.leat.error.PayloadException;
import dev.leat.internal.StoredText;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * The exception that ended an attempt. Immutable.
 *
 * @param exception the name of the exception's class
 * @param stackTrace as Java prints it, cut to 4,096 bytes of UTF-8; a longer one keeps the first line and the first frames of the
 *     exception and of each cause, and names the number of omitted lines
 */
public record Thrown(String exception, String stackTrace) {
    private static final int MAX_CLASS_BYTES = 512;
    /** This many exceptions of a chain, with lines of this length, leave half of a cut stack trace for frames. */
    private static final int MAX_SECTIONS = 8;

    private static final int MAX_HEADER_BYTES = 220;
    /** Space for the line that names the number of omitted lines. */
    private static final int MAX_MARK_BYTES = 36;

    public Thrown {
        exception = StoredText.bounded(exception, MAX_CLASS_BYTES);
        stackTrace = StoredText.bounded(stackTrace);
    }

    public static Thrown of(Throwable failure) {
        return new Thrown(failure.getClass().getName(), stackTrace(failure));
    }

    /** The exception in one line, as the message of the failed attempt. */
    static String message(Throwable failure) {
        return failure instanceof PayloadException ? String.valueOf(failure.getMessage()) : describe(failure);
    }

    /**
     * Catches exceptions of {@code getMessage()}, so that the task is settled in any case. It catches errors too: a message of objects that refer
     * to each other ends in a StackOverflowError.
     */
    private static String describe(Throwable failure) {
        try {
            return String.valueOf(failure);
        } catch (RuntimeException | Error e) {
            return failure.getClass().getName();
        }
    }

    private static String stackTrace(Throwable failure) {
        String whole = print(failure);
        return StoredText.bytesOf(whole) <= StoredText.MAX_BYTES ? whole : shortened(sections(chain(failure)));
    }

    private static String print(Throwable failure) {
        StringWriter text = new StringWriter();
        try {
            failure.printStackTrace(new PrintWriter(text));
        } catch (RuntimeException | Error e) {
            text.append(failure.getClass().getName());
        }
        return text.toString().stripTrailing();
    }

    /** The exception and its causes, each once, because causes can form a cycle. */
    private static List<Throwable> chain(Throwable failure) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Throwable> chain = new ArrayList<>();
        for (Throwable each = failure; each != null && seen.add(each); each = each.getCause()) {
            chain.add(each);
        }
        return chain;
    }

    /** One exception of the chain: its first line, and the number of its frames to show. */
    private static final class Section {
        private final String header;
        private final StackTraceElement[] frames;
        private int shown;

        private Section(String header, StackTraceElement[] frames) {
            this.header = StoredText.bounded(header.lines().findFirst().orElse(""), MAX_HEADER_BYTES);
            this.frames = frames;
        }

        private boolean hasMore() {
            return shown < frames.length;
        }

        private String next() {
            return line(frames[shown]);
        }

        private static String line(StackTraceElement frame) {
            return "\n\tat " + frame;
        }

        private void appendTo(StringBuilder text) {
            text.append(text.length() == 0 ? "" : "\n").append(header);
            for (int i = 0; i < shown; i++) {
                text.append(line(frames[i]));
            }
            if (hasMore()) {
                text.append("\n\t… ").append(frames.length - shown).append(" lines left out");
            }
        }
    }

    /** Keeps the first exceptions of a long chain, and the last one, which is the root cause. */
    private static List<Section> sections(List<Throwable> chain) {
        List<Section> sections = new ArrayList<>();
        int leftOut = Math.max(0, chain.size() - MAX_SECTIONS);
        for (int i = 0; i < chain.size() - leftOut; i++) {
            boolean isAfterGap = leftOut > 0 && i == MAX_SECTIONS - 1;
            Throwable each = chain.get(isAfterGap ? chain.size() - 1 : i);
            String before = isAfterGap ? "… " + leftOut + " causes left out; caused by: " : "Caused by: ";
            sections.add(new Section((i == 0 ? "" : before) + describe(each), each.getStackTrace()));
        }
        return sections;
    }

    /** Gives each exception of the chain one frame after the other, so that the root cause gets as many as the first. */
    private static String shortened(List<Section> sections) {
        int left = StoredText.MAX_BYTES;
        for (Section section : sections) {
            left -= StoredText.bytesOf(section.header) + 1 + MAX_MARK_BYTES;
        }
        List<Section> growing = new ArrayList<>(sections);
        while (!growing.isEmpty()) {
            for (Section section : List.copyOf(growing)) {
                int bytes = section.hasMore() ? StoredText.bytesOf(section.next()) : 0;
                if (bytes == 0 || bytes > left) {
                    growing.remove(section);
                } else {
                    section.shown++;
                    left -= bytes;
                }
            }
        }
        StringBuilder text = new StringBuilder();
        sections.forEach(section -> section.appendTo(text));
        return text.toString();
    }
}
