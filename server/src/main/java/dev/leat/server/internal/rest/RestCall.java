package dev.leat.server.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.error.InvalidRequestException;
import dev.leat.json.JsonFields;
import dev.leat.server.internal.access.Grant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request without its HTTP parts.
 *
 * @param grant what the caller is allowed to do
 * @param path the values of the variables in the path
 * @param query the values of the query string
 * @param idempotencyKey the header of that name
 * @param body the bytes of the body; empty without a body
 */
public record RestCall(
        Grant grant,
        Map<String, String> path,
        Map<String, List<String>> query,
        Optional<String> idempotencyKey,
        byte[] body) {
    public static final String IDEMPOTENCY_KEY = "Idempotency-Key";

    /** The value of the header, with or without the quotes that the IETF draft asks for. */
    public static Optional<String> idempotencyKey(@Nullable String header) {
        boolean isQuoted = header != null && header.length() > 1 && header.startsWith("\"") && header.endsWith("\"");
        return Optional.ofNullable(header).map(text -> isQuoted ? text.substring(1, text.length() - 1) : text);
    }

    String path(String name) {
        String value = path.get(name);
        if (value == null) {
            throw new IllegalStateException("the route has no {" + name + "}");
        }
        return value;
    }

    /** The id of the task in the path. */
    long id() {
        return pathNumber("id");
    }

    long pathNumber(String name) {
        String text = path(name);
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new InvalidRequestException(name, "must be a number, was '" + text + "'", e);
        }
    }

    JsonNode json() {
        return JsonFields.parse("body", body);
    }

    /** The fields of the body; a missing body has no fields. */
    JsonFields fields(String what) {
        return JsonFields.of(what, body.length == 0 ? JsonNodeFactory.instance.objectNode() : json());
    }

    /** The value of a query parameter that can occur once. */
    Optional<String> query(String name) {
        List<String> values = query.getOrDefault(name, List.of());
        if (values.size() > 1) {
            throw new InvalidRequestException(name, "must be there once, was " + values.size() + " times");
        }
        return values.stream().findFirst();
    }

    /** The values of a query parameter that can occur several times. */
    Set<String> queries(String name) {
        return Set.copyOf(query.getOrDefault(name, List.of()));
    }

    Optional<Long> queryNumber(String name) {
        return query(name).map(text -> {
            try {
                return Long.parseLong(text);
            } catch (NumberFormatException e) {
                throw new InvalidRequestException(name, "must be a number, was '" + text + "'", e);
            }
        });
    }

    Optional<Integer> queryInteger(String name) {
        return queryNumber(name).map(number -> {
            if (number != number.intValue()) {
                throw new InvalidRequestException(name, "must be a number of 32 bits, was " + number);
            }
            return number.intValue();
        });
    }

    /** Refuses unknown query parameters: a typo would otherwise change the answer. */
    void allowQuery(Set<String> names) {
        query.keySet().stream()
                .filter(name -> !names.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new InvalidRequestException(name, "is not a parameter of this call");
                });
    }
}
