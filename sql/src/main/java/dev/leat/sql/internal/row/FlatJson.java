package dev.leat.sql.internal.row;

import dev.leat.error.StorageException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Maps of texts and whole numbers as JSON objects without nesting, so that people and BI tools can read the columns. Written by hand, because
 * this module has no JSON library.
 */
public final class FlatJson {
    private final String text;
    private int at;

    private FlatJson(String text) {
        this.text = text;
    }

    /** The object, with its names in order; null for an empty map. */
    public static @Nullable String write(Map<String, ?> map) {
        if (map.isEmpty()) {
            return null;
        }
        StringBuilder json = new StringBuilder();
        char before = '{';
        for (Map.Entry<String, ?> entry : new TreeMap<>(map).entrySet()) {
            json.append(before);
            quote(json, entry.getKey());
            json.append(':');
            if (entry.getValue() instanceof Number number) {
                json.append(number.longValue());
            } else {
                quote(json, entry.getValue().toString());
            }
            before = ',';
        }
        return json.append('}').toString();
    }

    private static void quote(StringBuilder json, String value) {
        json.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }

    /** Reads an object that {@link #write} or a person has written. Numbers become texts. */
    public static Map<String, String> read(@Nullable String json) {
        return json == null ? Map.of() : new FlatJson(json).object();
    }

    private Map<String, String> object() {
        Map<String, String> map = new LinkedHashMap<>();
        expect('{');
        while (peek() != '}') {
            String name = string();
            expect(':');
            map.put(name, peek() == '"' ? string() : literal());
            if (peek() == ',') {
                at++;
            }
        }
        return map;
    }

    private char peek() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        if (at == text.length()) {
            throw broken();
        }
        return text.charAt(at);
    }

    private void expect(char c) {
        if (peek() != c) {
            throw broken();
        }
        at++;
    }

    private String string() {
        expect('"');
        StringBuilder value = new StringBuilder();
        while (true) {
            char c = next();
            if (c == '"') {
                return value.toString();
            }
            value.append(c == '\\' ? escaped() : c);
        }
    }

    private char escaped() {
        char c = next();
        if (c == 'u' && at + 4 <= text.length()) {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        return switch (c) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            default -> c;
        };
    }

    private char next() {
        if (at == text.length()) {
            throw broken();
        }
        return text.charAt(at++);
    }

    private String literal() {
        int start = at;
        while (at < text.length() && ",} \n\t".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return text.substring(start, at);
    }

    private StorageException broken() {
        return new StorageException("Not a flat JSON object, at character " + at + ": " + text);
    }
}
