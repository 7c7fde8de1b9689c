package dev.leat.cli.server;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.cli.console.Output;
import dev.leat.server.Role;
import dev.leat.server.TokenEntry;
import dev.leat.server.TokenFile;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leat token}: creates and revokes the access tokens of a server. */
@Command(
        name = "token",
        description =
                "Makes tokens for those who use a server, shows them, revokes them. A server that runs knows within"
                        + " some seconds.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {TokenCommand.Create.class, TokenCommand.ListTokens.class, TokenCommand.Revoke.class})
public final class TokenCommand {

    /** A command that works on a file of tokens. */
    abstract static class FileCommand implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Option(
                names = "--file",
                required = true,
                paramLabel = "FILE",
                description = "The file that 'leat server --tokens' reads.")
        private Path file;

        @Option(names = "--json", description = "Prints JSON instead of a table.")
        private boolean json;

        abstract void run(TokenFile tokens, Output out);

        @Override
        public final Integer call() {
            Output out = new Output(spec.commandLine().getOut(), json);
            run(new TokenFile(file), out);
            out.flush();
            return 0;
        }
    }

    @Command(
            name = "create",
            description = "Makes a token and prints it, this once: the file has only its hash.",
            mixinStandardHelpOptions = true)
    static final class Create extends FileCommand {
        @Parameters(paramLabel = "NAME", description = "Who gets it, as the audit log will say.")
        private String name;

        @Option(
                names = "--role",
                required = true,
                paramLabel = "ROLE",
                description = "What it is for: produce, consume, operate or admin; may be given several times.")
        private List<Role> roles;

        @Option(
                names = "--queue",
                paramLabel = "PATTERN",
                description =
                        "For which queues, such as emails or 'billing.*'; may be given several times (default: all).")
        private List<String> queues = List.of();

        @Option(
                names = "--expires",
                paramLabel = "TIME",
                description = "After how long it is refused, such as 90d (default: never).")
        private @Nullable Duration expires;

        @Override
        protected void run(TokenFile tokens, Output out) {
            String token = tokens.create(name, EnumSet.copyOf(roles), queues, Optional.ofNullable(expires));
            if (out.isJson()) {
                out.json(JsonNodeFactory.instance.objectNode().put("name", name).put("token", token));
            } else {
                out.line(token);
            }
        }
    }

    @Command(
            name = "list",
            description = "Lists the tokens, without the tokens themselves.",
            mixinStandardHelpOptions = true)
    static final class ListTokens extends FileCommand {
        @Override
        protected void run(TokenFile tokens, Output out) {
            if (out.isJson()) {
                out.json(tokens.read().stream().map(ListTokens::json).toList());
            } else {
                out.table(
                        List.of("NAME", "ROLES", "QUEUES", "CREATED", "EXPIRES"),
                        tokens.read().stream().map(ListTokens::row).toList());
            }
        }

        private static ObjectNode json(TokenEntry token) {
            ObjectNode json = JsonNodeFactory.instance.objectNode().put("name", token.name());
            ArrayNode roles = json.putArray("roles");
            token.roles().stream().sorted().forEach(role -> roles.add(role.text()));
            token.queues().forEach(json.putArray("queues")::add);
            json.put("created", token.created().toString());
            token.expires().ifPresent(expires -> json.put("expires", expires.toString()));
            return json;
        }

        private static List<String> row(TokenEntry token) {
            return List.of(
                    token.name(),
                    token.roles().stream().sorted().map(Role::text).collect(Collectors.joining(",")),
                    token.queues().isEmpty() ? "all" : String.join(",", token.queues()),
                    token.created().truncatedTo(ChronoUnit.SECONDS).toString(),
                    token.expires()
                            .map(expires ->
                                    expires.truncatedTo(ChronoUnit.SECONDS).toString())
                            .orElse("never"));
        }
    }

    @Command(
            name = "revoke",
            description = "Forgets a token: nobody gets in with it any more.",
            mixinStandardHelpOptions = true)
    static final class Revoke extends FileCommand {
        @Parameters(paramLabel = "NAME", description = "The name of the token.")
        private String name;

        @Override
        protected void run(TokenFile tokens, Output out) {
            tokens.revoke(name);
            if (out.isJson()) {
                out.json(JsonNodeFactory.instance.objectNode().put("name", name).put("revoked", true));
            } else {
                out.line(name + " is revoked.");
            }
        }
    }
}
