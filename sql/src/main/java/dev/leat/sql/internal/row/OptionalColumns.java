package dev.leat.sql.internal.row;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The columns that most tasks leave empty: the columns after "has_optional" of live_columns, or the texts of optional_texts, which has the same columns and
 * four more.
 */
record OptionalColumns(Source source) {
    /** Reads the column or text at a position; null if it is not set. */
    interface Source {
        @Nullable
        String at(int position) throws SQLException;
    }

    /** @param first the number of the first of these columns */
    static OptionalColumns columns(ResultSet row, int first) {
        return new OptionalColumns(position -> row.getString(first + position));
    }

    static OptionalColumns texts(@Nullable String[] texts) {
        return new OptionalColumns(position -> texts[position]);
    }

    @Nullable
    String address() throws SQLException {
        return source.at(0);
    }

    @Nullable
    String type() throws SQLException {
        return source.at(1);
    }

    @Nullable
    String tenant() throws SQLException {
        return source.at(2);
    }

    @Nullable
    String businessGroup() throws SQLException {
        return source.at(3);
    }

    @Nullable
    String origin() throws SQLException {
        return source.at(4);
    }

    @Nullable
    String destination() throws SQLException {
        return source.at(5);
    }

    @Nullable
    String externalKey() throws SQLException {
        return source.at(6);
    }

    @Nullable
    String payloadHash() throws SQLException {
        return source.at(7);
    }

    Map<String, String> tags() throws SQLException {
        return FlatJson.read(source.at(8));
    }

    Map<String, String> trace() throws SQLException {
        return FlatJson.read(source.at(9));
    }

    long deadOf() throws SQLException {
        return number(10);
    }

    @Nullable
    String message() throws SQLException {
        return source.at(11);
    }

    int errorCode() throws SQLException {
        return (int) number(12);
    }

    long previousDue() throws SQLException {
        return number(13);
    }

    long ownTtr() throws SQLException {
        return number(14);
    }

    /** 0 if the task is a publication itself. */
    OptionalLong publicationId() throws SQLException {
        String text = source.at(15);
        return text == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
    }

    @Nullable
    String subscriber() throws SQLException {
        return source.at(16);
    }

    // Only in optional_texts

    long groupId() throws SQLException {
        return number(17);
    }

    int failures() throws SQLException {
        return (int) number(18);
    }

    int losses() throws SQLException {
        return (int) number(19);
    }

    int releases() throws SQLException {
        return (int) number(20);
    }

    private long number(int position) throws SQLException {
        String text = source.at(position);
        return text == null ? 0 : Long.parseLong(text);
    }
}
