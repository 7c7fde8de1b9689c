package dev.leat.sql.internal.engine.sqlite;

import dev.leat.error.InvalidRequestException;
import dev.leat.sql.internal.engine.UrlParameters;
import dev.leat.sql.internal.jdbc.Migrations;
import dev.leat.sql.internal.jdbc.Tables;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The parsed form of a URL such as {@code sqlite:path/to/file.db?synchronous=FULL&prefix=jobs_&migrate=false}. */
public record SqliteUrl(
        Path file, Synchronous synchronous, Tables tables, Migrations.Mode migrate, Optional<String> signals) {
    public static final String SCHEME = "sqlite:";

    /** When commits reach the disk. Both values survive a crash of the process. */
    enum Synchronous {
        /** A power failure can lose the last commits, but never damages the file. */
        NORMAL,
        /** A commit is on the disk when it returns. */
        FULL
    }

    private static final Set<String> KNOWN =
            Set.of("synchronous", UrlParameters.PREFIX, UrlParameters.MIGRATE, UrlParameters.SIGNALS);

    public static SqliteUrl parse(String url) {
        String rest = url.substring(SCHEME.length());
        int question = rest.indexOf('?');
        String path = question < 0 ? rest : rest.substring(0, question);
        UrlParameters parameters = UrlParameters.parse(question < 0 ? "" : rest.substring(question + 1));
        parameters.refuseOthersThan(KNOWN);
        Tables tables = new Tables(Optional.empty(), parameters.prefix());
        return new SqliteUrl(file(path), synchronous(parameters), tables, parameters.migrate(), parameters.signals());
    }

    private static Path file(String path) {
        if (path.isBlank()) {
            throw new InvalidRequestException("url", "names no file; write sqlite:path/to/file.db");
        }
        if (path.equals(":memory:")) {
            throw new InvalidRequestException("url", "sqlite::memory: is not supported; use memory: instead");
        }
        return Path.of(path);
    }

    private static Synchronous synchronous(UrlParameters parameters) {
        return parameters.oneOf(
                "synchronous", Map.of("NORMAL", Synchronous.NORMAL, "FULL", Synchronous.FULL), Synchronous.NORMAL);
    }
}
