package dev.leat.sql.internal.jdbc;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * SQL with a question mark for each parameter, and the names that the parameters had.
 *
 * @param sql the text for the driver
 * @param indexes the names of the parameters, numbered from 0; empty if the parameters have no names
 * @param order for each question mark, the number of the name that was there
 */
record ParsedSql(String sql, Map<String, Integer> indexes, int[] order) {

    /** Replaces {@code :name} by a question mark, except in literals, quoted identifiers, comments and casts with {@code ::}. */
    static ParsedSql of(String statement) {
        StringBuilder sql = new StringBuilder(statement.length());
        Map<String, Integer> indexes = new HashMap<>();
        List<Integer> order = new ArrayList<>();
        boolean isPositional = false;
        int at = 0;
        while (at < statement.length()) {
            char c = statement.charAt(at);
            int end = at + 1;
            if (c == '\'' || c == '"' || c == '`') {
                end = after(statement, String.valueOf(c), at + 1);
            } else if (statement.startsWith("--", at)) {
                end = after(statement, "\n", at);
            } else if (statement.startsWith("/*", at)) {
                end = after(statement, "*/", at);
            } else if (statement.startsWith("::", at)) {
                end = at + 2;
            } else if (c == ':' && at + 1 < statement.length() && isNamePart(statement.charAt(at + 1))) {
                while (end < statement.length() && isNamePart(statement.charAt(end))) {
                    end++;
                }
                order.add(indexes.computeIfAbsent(statement.substring(at + 1, end), name -> indexes.size()));
                sql.append('?');
                at = end;
                continue;
            } else if (c == '?') {
                isPositional = true;
            }
            sql.append(statement, at, end);
            at = end;
        }
        if (isPositional && !order.isEmpty()) {
            throw new IllegalStateException("a statement has parameters with and without names: " + statement);
        }
        return new ParsedSql(
                sql.toString(),
                Map.copyOf(indexes),
                order.stream().mapToInt(index -> index).toArray());
    }

    private static boolean isNamePart(char c) {
        return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    }

    private static int after(String statement, String end, int from) {
        int found = statement.indexOf(end, from);
        return found < 0 ? statement.length() : found + end.length();
    }

    boolean hasNames() {
        return order.length > 0;
    }
}
