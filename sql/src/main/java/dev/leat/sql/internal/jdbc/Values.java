package dev.leat.sql.internal.jdbc;

import java.util.Arrays;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The values of the named parameters of one statement. A name that the statement lacks is refused at once, a value that is
 * missing when the statement runs.
 */
public final class Values {
    private static final Object MISSING = new Object();

    final String statement;
    private final ParsedSql parsed;
    private final @Nullable Object[] values;

    Values(String statement, ParsedSql parsed) {
        this.statement = statement;
        this.parsed = parsed;
        this.values = new @Nullable Object[parsed.indexes().size()];
        Arrays.fill(values, MISSING);
    }

    public Values set(String name, @Nullable Object value) {
        Integer index = parsed.indexes().get(name);
        if (index == null) {
            throw new IllegalArgumentException("Statement '" + statement + "' has no parameter :" + name + ", but "
                    + new TreeSet<>(parsed.indexes().keySet()));
        }
        values[index] = value;
        return this;
    }

    /** One value for each question mark. */
    @Nullable
    Object[] inOrder() {
        int[] order = parsed.order();
        @Nullable Object[] ordered = new @Nullable Object[order.length];
        for (int i = 0; i < order.length; i++) {
            Object value = values[order[i]];
            if (value == MISSING) {
                throw new IllegalArgumentException("Statement '" + statement + "' lacks values for " + missing());
            }
            ordered[i] = value;
        }
        return ordered;
    }

    private TreeSet<String> missing() {
        TreeSet<String> names = new TreeSet<>();
        parsed.indexes().forEach((name, index) -> {
            if (values[index] == MISSING) {
                names.add(name);
            }
        });
        return names;
    }
}
