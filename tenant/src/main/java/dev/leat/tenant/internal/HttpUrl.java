package dev.leat.tenant.internal;

import dev.leat.error.InvalidRequestException;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * Where a service is. As text it has no parameters, because these may hold secrets.
 *
 * @param uri of http or https
 */
public record HttpUrl(URI uri) {
    /** @param field the name of the URL in error messages */
    public static HttpUrl parse(String field, String text) {
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException e) {
            // Not with its message or as the cause: these quote the text.
            throw new InvalidRequestException(field, "is not a URL: " + e.getReason());
        }
        boolean http = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
        if (!http || uri.getHost() == null || uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
            throw new InvalidRequestException(
                    field, "must be like https://host/path, without a user, a password and a fragment");
        }
        return new HttpUrl(uri);
    }

    @Override
    public String toString() {
        return uri.getScheme() + "://" + uri.getRawAuthority() + (uri.getRawPath() == null ? "" : uri.getRawPath());
    }
}
