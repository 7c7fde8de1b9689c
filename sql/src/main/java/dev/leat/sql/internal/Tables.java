package dev.leat.sql.internal;

import java.util.Optional;

/**
 * Where Leat's tables are, so that several Leats can share a database.
 *
 * @param schema the schema, where the database has schemas and it is not the connection's own
 * @param prefix of the tables' names
 */
record Tables(Optional<String> schema, String prefix) {
    static final String STANDARD_PREFIX = "leat_";

    /** What stands before a table's name in a statement. */
    String qualifiedPrefix() {
        return schema.map(name -> name + ".").orElse("") + prefix;
    }
}
