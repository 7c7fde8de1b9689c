package dev.leat.sql.internal.jdbc;

import dev.leat.error.InvalidRequestException;
import java.util.Optional;

/**
 * The schema and the prefix of the tables, so that several storages can share a database.
 *
 * @param schema empty for the default schema of the connection
 * @param prefix the beginning of the names of the tables
 */
public record Tables(Optional<String> schema, String prefix) {
    public static final String STANDARD_PREFIX = "leat_";
    public static final String NAME_IN_WORDS = "1 to 40 letters, digits and _, not beginning with a digit";

    /** Checks names that the user has given, because they become part of the statements. */
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

    /** The schema and the prefix, as statements write them before the name of a table. */
    public String qualifiedPrefix() {
        return schema.map(name -> name + ".").orElse("") + prefix;
    }

    /**
     * The channel of the notices between processes that use the tables. PostgreSQL truncates names of channels to 63 bytes, so a
     * long name ends with its hash.
     */
    public String channel() {
        String name = "leat_" + qualifiedPrefix().replace('.', '_');
        return name.length() <= 63 ? name : "leat_" + Integer.toHexString(name.hashCode());
    }
}
