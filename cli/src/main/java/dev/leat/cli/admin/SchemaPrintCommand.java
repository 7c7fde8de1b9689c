package dev.leat.cli.admin;

import dev.leat.error.InvalidRequestException;
import dev.leat.sql.SqlSchema;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Prints all that Leat needs in a database, to be reviewed and applied by hand. */
@Command(
        name = "print",
        description = "Prints the tables and views that Leat needs, to be applied by hand before it is opened with"
                + " migrate=false.",
        mixinStandardHelpOptions = true)
final class SchemaPrintCommand implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(
            names = "--dialect",
            required = true,
            paramLabel = "NAME",
            description = "The database: postgresql, mariadb (for MySQL too) or sqlite.")
    private SqlSchema.Dialect dialect;

    @Option(
            names = "--schema",
            paramLabel = "S",
            description = "The schema of the tables, on MariaDB the database (default: that of whoever applies it).")
    private @Nullable String schema;

    @Option(
            names = "--prefix",
            paramLabel = "P",
            defaultValue = SqlSchema.STANDARD_PREFIX,
            description = "What the names of the tables begin with (default: ${DEFAULT-VALUE}).")
    private String prefix;

    @Override
    public void run() {
        spec.commandLine().getOut().print(script());
        spec.commandLine().getOut().flush();
    }

    private String script() {
        try {
            SqlSchema tables = SqlSchema.of(dialect).prefix(prefix);
            return (schema == null ? tables : tables.schema(schema)).script();
        } catch (InvalidRequestException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), "--" + e.getMessage(), e);
        }
    }
}
