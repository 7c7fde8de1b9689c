package dev.leat.server.internal.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.NewTask;
import dev.leat.error.InvalidRequestException;
import dev.leat.storage.Hashes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Gives the tasks of a put their idempotency keys and fingerprints of the JSON that the caller sent. The fingerprint tells a repeated put
 * from a different put with the same key. The order of JSON fields does not matter. A put without a key computes no hash.
 */
final class RepeatablePut {
    private static final String FIELD = "idempotencyKey";
    private static final JsonMapper SORTED =
            JsonMapper.builder().enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED).build();

    private RepeatablePut() {}

    static NewTask one(NewTask task, JsonNode described, Optional<String> header) {
        checkAgree(FIELD, task, header);
        Optional<String> key = task.idempotencyKey().or(() -> header);
        return key.isEmpty() ? task : withKey(task, key.get(), fingerprint(withoutKey(described)));
    }

    /**
     * The first task carries the header's key and a hash of the whole batch. The storage then refuses a batch with other tasks under the
     * same key.
     */
    static List<NewTask> all(List<NewTask> tasks, List<JsonNode> described, Optional<String> header) {
        List<NewTask> repeatable = new ArrayList<>();
        String ofAll = header.isEmpty() ? "" : fingerprint(described);
        for (int i = 0; i < tasks.size(); i++) {
            NewTask task = tasks.get(i);
            if (header.isEmpty()) {
                repeatable.add(one(task, described.get(i), header));
            } else {
                checkAgree("tasks[" + i + "]." + FIELD, task, header);
                repeatable.add(withKey(task, i == 0 ? header.get() : keyOf(header.get(), i), ofAll));
            }
        }
        return repeatable;
    }

    /** A hash bounds the length of the key, and differs from all keys that callers choose. */
    private static String keyOf(String header, int index) {
        return fingerprint(List.of(header, index));
    }

    private static void checkAgree(String field, NewTask task, Optional<String> header) {
        boolean agree = header.isEmpty()
                || task.idempotencyKey().isEmpty()
                || task.idempotencyKey().equals(header);
        if (!agree) {
            throw new InvalidRequestException(
                    field,
                    "is '" + task.idempotencyKey().get() + "', but the header " + RestCall.IDEMPOTENCY_KEY + " says '"
                            + header.get() + "': send one of them");
        }
    }

    private static NewTask withKey(NewTask task, String key, String fingerprint) {
        return task.toBuilder().idempotencyKey(key, fingerprint).build();
    }

    private static JsonNode withoutKey(JsonNode described) {
        return described instanceof ObjectNode task ? task.deepCopy().without(FIELD) : described;
    }

    private static String fingerprint(Object described) {
        try {
            return Hashes.sha256(SORTED.writeValueAsBytes(described));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("what was read as JSON can be written as JSON", e);
        }
    }
}
