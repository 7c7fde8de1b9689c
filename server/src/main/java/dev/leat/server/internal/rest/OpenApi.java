package dev.leat.server.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** The OpenAPI description of the HTTP API. It is written by hand; tests compare it with {@link Api} and with real answers. */
final class OpenApi {
    static final Reply DOCUMENT = Reply.ok(read());

    private OpenApi() {}

    private static JsonNode read() {
        try (@Nullable InputStream in = OpenApi.class.getResourceAsStream("/dev/leat/server/openapi.json")) {
            return new ObjectMapper().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
