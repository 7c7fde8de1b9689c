package dev.leat.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.cli.console.Output;
import picocli.CommandLine;

/** How many tasks a command has moved; if none, the reason. */
public final class Moved {
    /** Why tasks stay buried although a command would move them. */
    public static final String ADDRESSES_TAKEN = "other live tasks have the addresses of the buried tasks";

    private Moved() {}

    /**
     * Answers the exit code.
     *
     * @param verb the past participle for people, and the name of the field in JSON
     * @param whyNone the reason that is printed for a count of 0
     */
    public static int print(Output out, String verb, long count, String whyNone) {
        if (out.isJson()) {
            ObjectNode json = JsonNodeFactory.instance.objectNode().put(verb, count);
            out.json(count == 0 ? json.put("reason", whyNone) : json);
        } else {
            out.line(count + " " + verb + (count == 0 ? ": " + whyNone + "." : ""));
        }
        return count == 0 ? StorageCommand.NOTHING_THERE : CommandLine.ExitCode.OK;
    }
}
