package dev.leat.sql.internal.jdbc;

import dev.leat.error.InvalidRequestException;
import java.util.Optional;

/**
 * Where Leat's tables are, so that several Leats can share a database.
 *
 * @param schema the schema, where the database has schemas and it is not the connection's own
 * @param prefix of the tables' names
 */
public record Tables(Optional<String> schema, String prefix) {
    public static final String STANDARD_PREFIX = "leat_";
    public static final String NAME_IN_WORDS = "1 to 40 letters, digits and _, not beginning with a digit";

    /** For names that somebody has given; they go into statements as they are. */
    public static Tables checked(Optional<String> schema, String prefix) {
        schema.ifPresent(name -> check("schema", name));
        check("prefix", prefix);
        return new Tables(schema, prefix);
    }

    private static void check(String option, String value) {
        if (!isName(value)) {
            throw new InvalidRequestException(option, "must be " + NAME_IN_WORDS + ", was '" + value + "'");
        }
    }

    public static boolean isName(String value) {
        return value.matches("[A-Za-z_][A-Za-z0-9_]{0,39}");
    }

    /** What stands before a table's name in a statement. */
    public String qualifiedPrefix() {
        return schema.map(name -> name + ".").orElse("") + prefix;
    }

    /**
     * The channel on which processes that use the tables tell each other what they did. Names of channels are cut after 63
     * bytes, so long ones are told apart by their hash.
     */
    public String channel() {
        String name = "leat_" + qualifiedPrefix().replace('.', '_');
        return name.length() <= 63 ? name : "leat_" + Integer.toHexString(name.hashCode());
    }
}
