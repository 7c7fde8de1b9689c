package dev.leat.storage;

import dev.leat.NewTask;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Hashes that find equivalent tasks. */
public final class EquivalenceHash {
    private EquivalenceHash() {}

    /** Equal for equivalent tasks of a queue. Processes compare this hash, so all versions must compute the same. */
    public static String of(NewTask task) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            for (Optional<String> field : List.of(
                    task.externalKey(),
                    task.type(),
                    task.origin(),
                    task.destination(),
                    task.tenant(),
                    task.businessGroup())) {
                byte[] text = field.orElse("").getBytes(StandardCharsets.UTF_8); // names are never blank
                out.writeInt(text.length);
                out.write(text);
            }
            out.write(task.payload().bytes());
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory does not fail", e);
        }
        return Hashes.sha256(bytes.toByteArray());
    }

    /** The hash of the payload, for tasks that other tasks can be equivalent to; null for all others. */
    public static @Nullable String ofPayload(NewTask task) {
        return task.externalKey().isPresent() && task.payload().size() > 0
                ? Hashes.sha256(task.payload().bytes())
                : null;
    }
}
