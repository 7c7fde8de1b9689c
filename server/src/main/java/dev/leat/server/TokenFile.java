package dev.leat.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.json.JsonFields;
import dev.leat.server.internal.access.OwnerOnly;
import dev.leat.server.internal.access.TokenHash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The JSON file with the tokens of a server. The file has only the hashes of the tokens.
 *
 * <p>Several processes can change the file at the same time. A running server reads a changed file within some seconds.
 */
public final class TokenFile {
    /** The prefix lets people and secret scanners recognise a token. */
    private static final String PREFIX = "leat_";

    private static final int TOKEN_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** A file lock belongs to the whole process, and two threads must not request the same file lock at the same time. */
    private static final Object ONE_THREAD = new Object();

    private final Path path;

    public TokenFile(Path path) {
        this.path = path;
    }

    public Path path() {
        return path;
    }

    /** All tokens in the order of their creation, expired tokens included. */
    public List<TokenEntry> read() {
        try {
            return parse(Files.readAllBytes(path));
        } catch (NoSuchFileException e) {
            throw new LeatException("There is no file of tokens at " + path + "; 'leat token create' makes one", e);
        } catch (IOException e) {
            throw new LeatException("The file of tokens cannot be read: " + e, e);
        }
    }

    /**
     * Creates a token, and the file if it is missing. The token cannot be read again later.
     *
     * @param queues patterns as in {@link TokenEntry}; none for all queues
     * @param lifetime how long the token is valid; empty for ever
     * @return the token
     */
    public String create(String name, Set<Role> roles, List<String> queues, Optional<Duration> lifetime) {
        byte[] bytes = new byte[TOKEN_BYTES];
        RANDOM.nextBytes(bytes);
        String token = PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        TokenEntry made = new TokenEntry(name, TokenHash.of(token).text(), roles, queues, now, lifetime.map(now::plus));
        try {
            OwnerOnly.make(path);
        } catch (IOException e) {
            throw new LeatException("The file of tokens cannot be made: " + e, e);
        }
        change(tokens -> {
            if (tokens.stream().anyMatch(other -> other.name().equals(name))) {
                throw new InvalidRequestException(
                        "name", "is taken: '" + name + "'. Revoke that token first, or give this one another name");
            }
            tokens.add(made);
        });
        return token;
    }

    /** Removes a token. A running server refuses the token within some seconds. */
    public void revoke(String name) {
        change(tokens -> {
            if (!tokens.removeIf(token -> token.name().equals(name))) {
                throw new InvalidRequestException(
                        "name",
                        "must be of " + tokens.stream().map(TokenEntry::name).toList() + ", was '" + name + "'");
            }
        });
    }

    // The file

    private interface Change {
        void apply(List<TokenEntry> tokens);
    }

    /**
     * Overwrites the existing file instead of replacing it. A new file would belong to the user who runs the command, and the server could
     * perhaps not read that file.
     */
    private void change(Change change) {
        synchronized (ONE_THREAD) {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
                    FileLock unused = channel.lock()) {
                byte[] before = Files.readAllBytes(path);
                List<TokenEntry> tokens = new ArrayList<>(before.length == 0 ? List.of() : parse(before));
                change.apply(tokens);
                ByteBuffer after = ByteBuffer.wrap(write(tokens));
                while (after.hasRemaining()) {
                    channel.write(after, after.position());
                }
                channel.truncate(after.limit());
                channel.force(true);
            } catch (NoSuchFileException e) {
                throw new LeatException("There is no file of tokens at " + path, e);
            } catch (IOException e) {
                throw new LeatException("The file of tokens cannot be changed: " + e, e);
            }
        }
    }

    // JSON

    private static byte[] write(List<TokenEntry> tokens) throws IOException {
        ArrayNode json = JsonNodeFactory.instance.arrayNode();
        tokens.forEach(token -> json.add(json(token)));
        return (MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n").getBytes(UTF_8);
    }

    private static ObjectNode json(TokenEntry token) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("name", token.name()).put("hash", token.hash());
        ArrayNode roles = json.putArray("roles");
        token.roles().stream().sorted().forEach(role -> roles.add(role.text()));
        if (!token.queues().isEmpty()) {
            token.queues().forEach(json.putArray("queues")::add);
        }
        json.put("created", token.created().toString());
        token.expires().ifPresent(expires -> json.put("expires", expires.toString()));
        return json;
    }

    private List<TokenEntry> parse(byte[] bytes) {
        try {
            JsonNode array = JsonFields.parse("it", bytes);
            if (!array.isArray()) {
                throw new InvalidRequestException("it", "must be an array");
            }
            List<TokenEntry> tokens = new ArrayList<>();
            Set<String> names = new HashSet<>();
            for (JsonNode described : array) {
                TokenEntry token = token(JsonFields.of("token", described));
                if (!names.add(token.name())) {
                    throw new InvalidRequestException("name", "must be there once: '" + token.name() + "'");
                }
                tokens.add(token);
            }
            return tokens;
        } catch (InvalidRequestException e) {
            throw new LeatException("The file of tokens " + path + " is wrong: " + e.getMessage(), e);
        }
    }

    private static TokenEntry token(JsonFields fields) {
        TokenEntry token = new TokenEntry(
                required("name", fields.text("name")),
                required("hash", fields.text("hash")),
                roles(required("roles", fields.texts("roles"))),
                fields.texts("queues").orElse(List.of()),
                required("created", fields.instant("created")),
                fields.instant("expires"));
        fields.end();
        return token;
    }

    private static <T> T required(String field, Optional<T> value) {
        return value.orElseThrow(() -> new InvalidRequestException(field, "is missing"));
    }

    private static Set<Role> roles(List<String> names) {
        Set<Role> roles = new HashSet<>();
        for (String name : names) {
            roles.add(Arrays.stream(Role.values())
                    .filter(role -> role.text().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new InvalidRequestException(
                            "roles",
                            "must be of "
                                    + Arrays.stream(Role.values())
                                            .map(Role::text)
                                            .toList() + ", was '" + name + "'")));
        }
        return roles;
    }
}
