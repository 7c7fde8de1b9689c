package dev.leat.schedule;

import dev.leat.error.InvalidRequestException;
import java.util.List;
import java.util.Locale;

/** A field of a cron expression with its range of numbers and its names. */
enum CronField {
    SECOND("second", 0, 59, List.of()),
    MINUTE("minute", 0, 59, List.of()),
    HOUR("hour", 0, 23, List.of()),
    DAY_OF_MONTH("day of month", 1, 31, List.of()),
    MONTH("month", 1, 12, List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")),
    /** Sunday is 0 and 7. */
    DAY_OF_WEEK("day of week", 0, 7, List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"));

    private final String title;
    private final int least;
    private final int most;
    /** Names of the values from {@code least} on. */
    private final List<String> names;

    CronField(String title, int least, int most, List<String> names) {
        this.title = title;
        this.least = least;
        this.most = most;
        this.names = names;
    }

    /** The values that the text names, each as a bit. */
    long bits(String text, String expression) {
        long bits = 0;
        for (String item : items(text, expression)) {
            bits |= itemBits(item, expression);
        }
        return bits;
    }

    /** The parts of a list, split at commas. */
    List<String> items(String text, String expression) {
        List<String> items = List.of(text.split(",", -1));
        if (items.stream().anyMatch(String::isEmpty)) {
            throw wrong("'" + text + "' has a comma too many", expression);
        }
        return items;
    }

    static boolean isAny(String text) {
        return text.equals("*") || text.equals("?");
    }

    /** One part of a list: {@code *}, a value or a range, and perhaps a step. */
    long itemBits(String item, String expression) {
        int slash = item.indexOf('/');
        String base = slash < 0 ? item : item.substring(0, slash);
        int step = slash < 0 ? 1 : step(item, expression);
        int dash = base.indexOf('-');
        int from;
        int to;
        if (isAny(base)) {
            from = least;
            to = this == DAY_OF_WEEK ? most - 1 : most;
        } else if (dash > 0) {
            from = value(base.substring(0, dash), expression);
            to = value(base.substring(dash + 1), expression);
            to = this == DAY_OF_WEEK && to == 0 && from > 0 ? most : to; // FRI-SUN
        } else {
            from = value(base, expression);
            to = slash < 0 ? from : most;
        }
        if (to < from) {
            throw wrong("the range '" + base + "' ends before it begins; write it as two ranges", expression);
        }
        long bits = 0;
        for (int value = from; value <= to; value += step) {
            bits |= 1L << value;
        }
        return bits;
    }

    private int step(String item, String expression) {
        int step = number(item.substring(item.indexOf('/') + 1));
        if (step < 1) {
            throw wrong("the step of '" + item + "' must be a number of at least 1", expression);
        }
        return Math.min(step, most + 1);
    }

    int value(String text, String expression) {
        int named = names.indexOf(text.toUpperCase(Locale.ROOT));
        int value = named >= 0 ? named + least : number(text);
        if (value < least || value > most) {
            throw wrong(
                    "'" + text + "' must be from " + least + " to " + most
                            + (names.isEmpty() ? "" : ", or a name such as " + names.get(0)),
                    expression);
        }
        return value;
    }

    /** Reads a number; -1 for another text or a number above all fields. */
    static int number(String text) {
        boolean isNumber = !text.isEmpty() && text.length() <= 6 && text.chars().allMatch(c -> c >= '0' && c <= '9');
        return isNumber ? Integer.parseInt(text) : -1;
    }

    InvalidRequestException wrong(String problem, String expression) {
        return new InvalidRequestException("cron", "'" + expression + "' has a wrong " + title + ": " + problem);
    }
}
