package dev.leat.json;

import dev.leat.Payload;
import java.util.Locale;

/** Decides by the content type how payload bytes are shown. */
final class ContentTypes {
    private ContentTypes() {}

    static boolean isJson(String contentType) {
        String type = contentType.toLowerCase(Locale.ROOT).split(";", 2)[0].strip();
        return type.equals(Payload.JSON) || type.endsWith("+json");
    }

    /** Whether the content type means text in UTF-8. */
    static boolean isText(String contentType) {
        String type = contentType.toLowerCase(Locale.ROOT);
        return type.startsWith("text/") && (!type.contains("charset=") || type.contains("charset=utf-8"));
    }
}
