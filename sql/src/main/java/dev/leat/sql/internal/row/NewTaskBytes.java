package dev.leat.sql.internal.row;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.When;
import dev.leat.error.StorageException;
import dev.leat.sql.internal.jdbc.Times;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes tasks that are not put yet as bytes: the end and abort tasks of groups, and the tasks of schedules. */
public final class NewTaskBytes {
    private static final String PUBLICATION = "publication";
    private static final int VERSION = 1;

    private NewTaskBytes() {}

    public static byte @Nullable [] write(Optional<NewTask> task) {
        return task.isEmpty() ? null : write(task.get());
    }

    public static byte[] write(NewTask task) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            text(out, task.queue());
            write(out, task.payload());
            out.writeBoolean(task.priority().isPresent());
            out.writeInt(task.priority().orElse(0));
            write(out, task.due());
            out.writeLong(task.ttl().map(Times::micros).orElse(0L));
            out.writeLong(task.ttr().map(Times::micros).orElse(0L));
            out.writeLong(task.group().orElse(0));
            write(out, names(task));
            write(out, task.tags());
            write(out, task.trace());
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory does not fail", e);
        }
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream out, Payload payload) throws IOException {
        text(out, payload.contentType());
        out.writeInt(payload.size());
        out.write(payload.bytes());
    }

    private static void write(DataOutputStream out, When due) throws IOException {
        out.writeBoolean(due.match(in -> false, at -> true));
        out.writeLong(due.<Long>match(in -> Times.micros(in.delay()), at -> Times.micros(at.instant())));
    }

    private static void write(DataOutputStream out, Map<String, ?> map) throws IOException {
        out.writeInt(map.size());
        for (Map.Entry<String, ?> entry : map.entrySet()) {
            text(out, entry.getKey());
            text(out, entry.getValue().toString());
        }
    }

    private static Map<String, String> names(NewTask task) {
        Map<String, String> names = new HashMap<>();
        task.key().ifPresent(value -> names.put("key", value));
        task.address().ifPresent(value -> names.put("address", value));
        task.type().ifPresent(value -> names.put("type", value));
        task.tenant().ifPresent(value -> names.put("tenant", value));
        task.businessGroup().ifPresent(value -> names.put("businessGroup", value));
        task.origin().ifPresent(value -> names.put("origin", value));
        task.destination().ifPresent(value -> names.put("destination", value));
        task.externalKey().ifPresent(value -> names.put("externalKey", value));
        task.idempotencyKey().ifPresent(value -> names.put("idempotencyKey", value));
        if (task.isPublication()) {
            names.put(PUBLICATION, "");
        }
        return names;
    }

    public static Optional<NewTask> read(byte @Nullable [] bytes) {
        if (bytes == null) {
            return Optional.empty();
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            return Optional.of(read(in));
        } catch (IOException e) {
            throw new StorageException("The task of a group or schedule cannot be read", e);
        }
    }

    private static NewTask read(DataInputStream in) throws IOException {
        int version = in.readByte();
        if (version != VERSION) {
            throw new StorageException(
                    "The task of a group or schedule has format " + version + ", known is " + VERSION);
        }
        NewTask.Builder task = NewTask.to(text(in)).payload(readPayload(in));
        boolean hasPriority = in.readBoolean();
        int priority = in.readInt();
        if (hasPriority) {
            task.priority(priority);
        }
        task.due(readWhen(in));
        ifPositive(in.readLong(), ttl -> task.ttl(Times.duration(ttl)));
        ifPositive(in.readLong(), ttr -> task.ttr(Times.duration(ttr)));
        ifPositive(in.readLong(), task::group);
        Map<String, String> names = readMap(in);
        with(names, "key", task::key);
        with(names, "address", task::address);
        with(names, "type", task::type);
        with(names, "tenant", task::tenant);
        with(names, "businessGroup", task::businessGroup);
        with(names, "origin", task::origin);
        with(names, "destination", task::destination);
        with(names, "externalKey", task::externalKey);
        with(names, "idempotencyKey", task::idempotencyKey);
        with(names, PUBLICATION, unused -> task.publication());
        readMap(in).forEach((name, value) -> task.tag(name, Long.parseLong(value)));
        readMap(in).forEach(task::trace);
        return task.build();
    }

    private static Payload readPayload(DataInputStream in) throws IOException {
        String contentType = text(in);
        return Payload.of(in.readNBytes(in.readInt()), contentType);
    }

    private static When readWhen(DataInputStream in) throws IOException {
        boolean absolute = in.readBoolean();
        long micros = in.readLong();
        Duration delay = Times.duration(micros);
        return absolute ? When.at(Times.instant(micros)) : When.in(delay);
    }

    private static Map<String, String> readMap(DataInputStream in) throws IOException {
        Map<String, String> map = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            map.put(text(in), text(in));
        }
        return map;
    }

    /** Writes texts of any length; {@link DataOutputStream#writeUTF} has a limit of 65,535 bytes. */
    private static void text(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), UTF_8);
    }

    private static void ifPositive(long value, Consumer<Long> then) {
        if (value > 0) {
            then.accept(value);
        }
    }

    private static void with(Map<String, String> names, String name, Consumer<String> then) {
        String value = names.get(name);
        if (value != null) {
            then.accept(value);
        }
    }
}
