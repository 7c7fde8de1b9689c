package dev.leat.wire;

import static dev.leat.wire.Values.need;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.json.JsonFields;
import dev.leat.storage.Capability;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;

/**
 * The first thing that a server says on a connection.
 *
 * @param version of the server
 * @param server this run of it: another one has forgotten what the last was told and not asked to store
 * @param storage the name of the storage behind it
 * @param capabilities of that storage, for whoever is not in the same process
 * @param missInterval how often a sleeper should look for itself
 * @param heartbeat how often the server pings
 * @param missable after how many missed pings a connection is given up
 * @param largestMessage how many bytes a message may have
 */
public record Hello(
        String version,
        String server,
        String storage,
        Set<Capability> capabilities,
        Duration missInterval,
        Duration heartbeat,
        int missable,
        int largestMessage) {
    /** Where the server answers. */
    public static final String PATH = "/v1/consume";
    /** Under what name the message has it. */
    public static final String FIELD = "hello";

    /** How long a connection may be silent. */
    public Duration longestSilence() {
        return heartbeat.multipliedBy(missable + 1L);
    }

    /** The version that this code is of. */
    public static String ownVersion() {
        Properties properties = new Properties();
        try (InputStream in = Hello.class.getResourceAsStream("version.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version");
    }

    public ObjectNode map() {
        ObjectNode map = Cbor.map()
                .put("version", version)
                .put("server", server)
                .put("storage", storage)
                .put("missInterval", Values.seconds(missInterval))
                .put("heartbeat", Values.seconds(heartbeat))
                .put("missable", missable)
                .put("largestMessage", largestMessage);
        map.set("capabilities", Values.list(capabilities, Names::of));
        return map;
    }

    /** A newer server may have more to say. */
    public static Hello read(JsonNode described) {
        JsonFields fields = JsonFields.of(FIELD, described);
        return new Hello(
                Values.text(fields, "version"),
                Values.text(fields, "server"),
                Values.text(fields, "storage"),
                Set.copyOf(Values.list(
                        fields, "capabilities", value -> Names.read("capability", value, Capability.class))),
                need("missInterval", fields.duration("missInterval")),
                need("heartbeat", fields.duration("heartbeat")),
                need("missable", fields.integer("missable")),
                need("largestMessage", fields.integer("largestMessage")));
    }
}
