package dev.leat.cli.command;

import java.io.Console;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Asks the user to confirm a destructive command. */
public final class Consent {
    @Option(names = "--yes", description = "Does not ask.")
    private boolean yes;

    /** Returns when the answer is yes. */
    public void ask(StorageCommand command, String question) {
        if (yes) {
            return;
        }
        @Nullable Console console = System.console();
        if (console == null) {
            throw command.wrong("That cannot be undone, and there is nobody to ask: say --yes");
        }
        @Nullable String answer = console.readLine("%s [y/N] ", question);
        if (answer == null || !answer.strip().toLowerCase(Locale.ROOT).matches("y|yes")) {
            throw command.wrong("Nothing was done");
        }
    }
}
