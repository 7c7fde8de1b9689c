package dev.leat.sql.internal;

import dev.leat.DatabaseOptions;
import dev.leat.sql.internal.engine.UrlParameters;
import dev.leat.sql.internal.jdbc.Migrations;
import dev.leat.sql.internal.jdbc.Tables;
import java.util.Optional;
import java.util.Set;

/**
 * The parameters of Leat in {@code jdbc:postgresql://host/database?user=jobs&schema=queue&migrate=false}; the driver gets the others.
 *
 * @param driverUrl the URL without Leat's own parameters
 * @param portable whether Leat claims rows by writing them, for engines of the MySQL protocol without row locks
 * @param pooler the pooler between Leat and PostgreSQL
 * @param signals the URL of a Leat server that carries notices and keeps locks
 */
record JdbcUrl(
        String driverUrl,
        Tables tables,
        Migrations.Mode migrate,
        boolean portable,
        DatabaseOptions.Pooler pooler,
        Optional<String> signals) {
    private static final Set<String> OWN = Set.of(
            UrlParameters.PREFIX,
            UrlParameters.SCHEMA,
            UrlParameters.MIGRATE,
            UrlParameters.PORTABLE,
            UrlParameters.POOLER,
            UrlParameters.SIGNALS);

    static JdbcUrl parse(String url) {
        int question = url.indexOf('?');
        String address = question < 0 ? url : url.substring(0, question);
        UrlParameters parameters = UrlParameters.parse(question < 0 ? "" : url.substring(question + 1));
        Tables tables = new Tables(Optional.ofNullable(parameters.schema()), parameters.prefix());
        return new JdbcUrl(
                address + parameters.without(OWN),
                tables,
                parameters.migrate(),
                parameters.portable(),
                parameters.pooler(),
                parameters.signals());
    }
}
