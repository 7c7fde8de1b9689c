package dev.leat.sql.internal;

import dev.leat.DatabaseOptions;
import dev.leat.InvalidRequestException;
import java.util.Optional;

/**
 * Where Leat's tables are, so that several Leats can share a database.
 *
 * @param schema the schema, where the database has schemas and it is not the connection's own
 * @param prefix of the tables' names
 */
record Tables(Optional<String> schema, String prefix) {
    static final String STANDARD_PREFIX = "leat_";
    static final String NAME_IN_WORDS = "1 to 40 letters, digits and _, not beginning with a digit";

    static Tables of(DatabaseOptions options) {
        options.schema().ifPresent(schema -> check("schema", schema));
        check("prefix", options.prefix());
        return new Tables(options.schema(), options.prefix());
    }

    private static void check(String option, String value) {
        if (!isName(value)) {
            throw new InvalidRequestException(option, "must be " + NAME_IN_WORDS + ", was '" + value + "'");
        }
    }

    static boolean isName(String value) {
        return value.matches("[A-Za-z_][A-Za-z0-9_]{0,39}");
    }

    /** What stands before a table's name in a statement. */
    String qualifiedPrefix() {
        return schema.map(name -> name + ".").orElse("") + prefix;
    }
}
