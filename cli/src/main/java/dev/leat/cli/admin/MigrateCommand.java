package dev.leat.cli.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.Leat;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.console.Output;
import dev.leat.storage.StorageSettings;
import picocli.CommandLine.Command;

/** {@code leat migrate}: makes the tables, or brings them up to date, as opening a storage does. */
@Command(
        name = "migrate",
        description =
                "Makes the tables of the storage, or brings them up to date, as every command does by itself. For those whose"
                        + " programs open it with migrate=false.",
        mixinStandardHelpOptions = true)
public final class MigrateCommand extends StorageCommand {
    @Override
    public StorageSettings.IfMissing ifMissing() {
        return StorageSettings.IfMissing.CREATE;
    }

    @Override
    protected int run(Leat leat, Output out) {
        String name = leat.storage().name();
        if (out.isJson()) {
            out.json(JsonNodeFactory.instance.objectNode().put("storage", name).put("migrated", true));
        } else {
            out.line("The tables on " + name + " are up to date.");
        }
        return 0;
    }
}
