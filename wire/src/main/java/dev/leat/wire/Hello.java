package dev.leat.wire;

import static dev.leat.wire.WireValues.need;

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
 * The first message of a server on a connection.
 *
 * @param version the version of the server
 * @param server a random id of this server process: another process does not know the unstored state of the last one
 * @param storage the name of the storage behind it
 * @param capabilities the capabilities of that storage, as remote clients see them
 * @param missInterval the miss interval of the storage's signal
 * @param heartbeat the interval of the server's pings
 * @param missable how many pings can be missed before the connection counts as lost
 * @param largestMessage the largest message in bytes
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
    /** The path of the WebSocket. */
    public static final String PATH = "/v1/consume";
    /** The field of the message. */
    public static final String FIELD = "hello";

    /** How long a connection can be silent before it counts as lost. */
    public Duration longestSilence() {
        return heartbeat.multipliedBy(missable + 1L);
    }

    /** The version of this code. */
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
                .put("missInterval", WireValues.seconds(missInterval))
                .put("heartbeat", WireValues.seconds(heartbeat))
                .put("missable", missable)
                .put("largestMessage", largestMessage);
        map.set("capabilities", WireValues.list(capabilities, Names::of));
        return map;
    }

    /** Ignores unknown fields, which a newer server can send. */
    public static Hello read(JsonNode described) {
        JsonFields fields = JsonFields.of(FIELD, described);
        return new Hello(
                WireValues.text(fields, "version"),
                WireValues.text(fields, "server"),
                WireValues.text(fields, "storage"),
                Set.copyOf(WireValues.list(
                        fields, "capabilities", value -> Names.read("capability", value, Capability.class))),
                need("missInterval", fields.duration("missInterval")),
                need("heartbeat", fields.duration("heartbeat")),
                need("missable", fields.integer("missable")),
                need("largestMessage", fields.integer("largestMessage")));
    }
}
