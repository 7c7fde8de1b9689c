package dev.leat.cli.console;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Suggests the known word that is closest to a misspelled one. */
public final class CloseWords {
    private CloseWords() {}

    /** The word with the smallest edit distance, if at most a third of its letters differ. */
    public static Optional<String> closest(String word, Collection<String> known) {
        return known.stream()
                .filter(other -> 3 * distance(word, other) <= Math.max(word.length(), other.length()))
                .min(Comparator.comparingInt(other -> distance(word, other)));
    }

    /** Letters to insert, remove or replace (Levenshtein). */
    private static int distance(String left, String right) {
        int[] row = new int[right.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int changed = diagonal + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[right.length()];
    }
}
