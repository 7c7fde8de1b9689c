package dev.leat.cli.admin;

import picocli.CommandLine.Command;

/** {@code leat schema}: for users who create Leat's tables themselves. */
@Command(
        name = "schema",
        description = "For those who make Leat's tables themselves.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = SchemaPrintCommand.class)
public final class SchemaCommand {}
