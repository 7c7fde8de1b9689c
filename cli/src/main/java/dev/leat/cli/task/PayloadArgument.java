package dev.leat.cli.task;

import dev.leat.Payload;
import dev.leat.error.InvalidRequestException;
import dev.leat.json.JsonFields;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A payload as an argument: itself, {@code @FILE} for the content of a file, or {@code -} for standard input. */
final class PayloadArgument {
    private PayloadArgument() {}

    /** @param contentType as given; if not, a JSON object or array is JSON, and everything else is text */
    static Payload read(String argument, @Nullable String contentType) throws IOException {
        byte[] bytes = argument.equals("-") || argument.startsWith("@")
                ? readAll(argument.substring(argument.equals("-") ? 0 : 1))
                : argument.getBytes(StandardCharsets.UTF_8);
        return Payload.of(
                bytes, contentType != null ? contentType : isJsonObjectOrArray(bytes) ? Payload.JSON : Payload.TEXT);
    }

    private static byte[] readAll(String file) throws IOException {
        try (InputStream in = open(file)) {
            return in.readAllBytes();
        }
    }

    /** A file, or standard input for {@code -}. */
    static InputStream open(String file) throws IOException {
        return file.equals("-") ? System.in : Files.newInputStream(Path.of(file));
    }

    private static boolean isJsonObjectOrArray(byte[] bytes) {
        try {
            return JsonFields.parse("payload", bytes).isContainerNode();
        } catch (InvalidRequestException e) {
            return false;
        }
    }
}
