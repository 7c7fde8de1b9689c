package dev.leat.schedule;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** The days of a cron expression, from its two day fields. */
final class CronDays {
    private final long ofMonth;
    private final long ofWeek;
    /** Whether a match of one field is enough. */
    private final boolean either;
    /** Days that depend on the month, as bits. */
    private final List<ToLongFunction<YearMonth>> specialsOfMonth;

    private final List<ToLongFunction<YearMonth>> specialsOfWeek;

    private CronDays(
            long ofMonth,
            long ofWeek,
            boolean either,
            List<ToLongFunction<YearMonth>> specialsOfMonth,
            List<ToLongFunction<YearMonth>> specialsOfWeek) {
        this.ofMonth = ofMonth;
        this.ofWeek = ofWeek;
        this.either = either;
        this.specialsOfMonth = specialsOfMonth;
        this.specialsOfWeek = specialsOfWeek;
    }

    static CronDays parse(String dayOfMonth, String dayOfWeek, String expression) {
        List<ToLongFunction<YearMonth>> specialsOfMonth = new ArrayList<>();
        long ofMonth = 0;
        for (String item : CronField.DAY_OF_MONTH.items(dayOfMonth, expression)) {
            if (isSpecialDayOfMonth(item)) {
                specialsOfMonth.add(specialDayOfMonth(item.toUpperCase(Locale.ROOT), expression));
            } else {
                ofMonth |= CronField.DAY_OF_MONTH.itemBits(item, expression);
            }
        }
        List<ToLongFunction<YearMonth>> specialsOfWeek = new ArrayList<>();
        long ofWeek = 0;
        for (String item : CronField.DAY_OF_WEEK.items(dayOfWeek, expression)) {
            if (isSpecialDayOfWeek(item)) {
                specialsOfWeek.add(specialDayOfWeek(item, expression));
            } else {
                ofWeek |= CronField.DAY_OF_WEEK.itemBits(item, expression);
            }
        }
        boolean either = !beginsWithAny(dayOfMonth) && !beginsWithAny(dayOfWeek);
        return new CronDays(ofMonth, withSundayAsZero(ofWeek), either, specialsOfMonth, specialsOfWeek);
    }

    /** As in cron itself: a field with {@code *} restricts nothing; with a step, both fields must match. */
    private static boolean beginsWithAny(String field) {
        return CronField.isAny(field.substring(0, 1));
    }

    private static long withSundayAsZero(long bits) {
        return (bits & 1L << 7) == 0 ? bits : bits | 1;
    }

    private static boolean isSpecialDayOfMonth(String item) {
        String upper = item.toUpperCase(Locale.ROOT);
        return upper.startsWith("L") || upper.endsWith("W");
    }

    private static boolean isSpecialDayOfWeek(String item) {
        return item.indexOf('#') >= 0 || item.toUpperCase(Locale.ROOT).endsWith("L");
    }

    private static ToLongFunction<YearMonth> specialDayOfMonth(String item, String expression) {
        if (item.equals("L")) {
            return month -> bit(month.lengthOfMonth());
        }
        if (item.equals("LW")) {
            return month -> bit(nearestWorkingDay(month, month.lengthOfMonth()));
        }
        if (item.startsWith("L-")) {
            int before = CronField.number(item.substring(2));
            if (before < 1 || before > 30) {
                throw CronField.DAY_OF_MONTH.wrong(
                        "'" + item + "' must have a number from 1 to 30 behind L-", expression);
            }
            return month -> before < month.lengthOfMonth() ? bit(month.lengthOfMonth() - before) : 0;
        }
        if (item.endsWith("W")) {
            int day = CronField.DAY_OF_MONTH.value(item.substring(0, item.length() - 1), expression);
            return month -> day <= month.lengthOfMonth() ? bit(nearestWorkingDay(month, day)) : 0;
        }
        throw CronField.DAY_OF_MONTH.wrong("'" + item + "' is none of L, LW and L-3", expression);
    }

    private static ToLongFunction<YearMonth> specialDayOfWeek(String item, String expression) {
        int hash = item.indexOf('#');
        if (hash < 0 && item.length() == 1) {
            throw CronField.DAY_OF_WEEK.wrong("'L' needs a day before it, as in FRIL", expression);
        }
        int end = hash < 0 ? item.length() - 1 : hash;
        int day = CronField.DAY_OF_WEEK.value(item.substring(0, end), expression) % 7;
        if (hash < 0) {
            return month -> bit(lastOf(month, day));
        }
        int nth = CronField.number(item.substring(hash + 1));
        if (nth < 1 || nth > 5) {
            throw CronField.DAY_OF_WEEK.wrong("'" + item + "' must have a number from 1 to 5 behind #", expression);
        }
        return month -> {
            int date = firstOf(month, day) + 7 * (nth - 1);
            return date <= month.lengthOfMonth() ? bit(date) : 0;
        };
    }

    private static long bit(int day) {
        return 1L << day;
    }

    /** The first day of the month that is the given day of the week, where Sunday is 0. */
    private static int firstOf(YearMonth month, int dayOfWeek) {
        int first = month.atDay(1).get(ChronoField.DAY_OF_WEEK) % 7;
        return 1 + (dayOfWeek - first + 7) % 7;
    }

    private static int lastOf(YearMonth month, int dayOfWeek) {
        int last = month.atEndOfMonth().get(ChronoField.DAY_OF_WEEK) % 7;
        return month.lengthOfMonth() - (last - dayOfWeek + 7) % 7;
    }

    /** The nearest working day in the same month. */
    private static int nearestWorkingDay(YearMonth month, int day) {
        DayOfWeek dayOfWeek = month.atDay(day).getDayOfWeek();
        if (dayOfWeek == DayOfWeek.SATURDAY) {
            return day == 1 ? 3 : day - 1;
        }
        if (dayOfWeek == DayOfWeek.SUNDAY) {
            return day == month.lengthOfMonth() ? day - 2 : day + 1;
        }
        return day;
    }

    /** The days of the date's month that match, each as a bit. */
    long inMonthOf(LocalDate date) {
        YearMonth month = YearMonth.from(date);
        long byDate = ofMonth | specials(specialsOfMonth, month);
        long byWeek = specials(specialsOfWeek, month);
        for (int dayOfWeek = 0; dayOfWeek < 7; dayOfWeek++) {
            if ((ofWeek & 1L << dayOfWeek) != 0) {
                for (int day = firstOf(month, dayOfWeek); day <= 31; day += 7) {
                    byWeek |= bit(day);
                }
            }
        }
        long all = bit(month.lengthOfMonth() + 1) - bit(1);
        return (either ? byDate | byWeek : byDate & byWeek) & all;
    }

    private static long specials(List<ToLongFunction<YearMonth>> specials, YearMonth month) {
        long bits = 0;
        for (ToLongFunction<YearMonth> special : specials) {
            bits |= special.applyAsLong(month);
        }
        return bits;
    }
}
