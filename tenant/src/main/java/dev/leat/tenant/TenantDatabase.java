package dev.leat.tenant;

import dev.leat.error.InvalidRequestException;
import java.util.Map;

/**
 * The database of a tenant, and how to log in to it.
 *
 * @param jdbcUrl for a driver on the class path
 * @param user empty for a database without users
 * @param password empty for none
 * @param properties further properties of the driver, such as timeouts
 */
public record TenantDatabase(String jdbcUrl, String user, String password, Map<String, String> properties) {
    public TenantDatabase {
        if (!jdbcUrl.startsWith("jdbc:")) {
            throw new InvalidRequestException("jdbcUrl", "must begin with jdbc:");
        }
        properties = Map.copyOf(properties);
    }

    public TenantDatabase(String jdbcUrl, String user, String password) {
        this(jdbcUrl, user, password, Map.of());
    }

    /** The URL for messages: without its parameters and the part before an {@code @}, which may contain secrets. */
    public String address() {
        String[] parts = jdbcUrl.split("[?;]", 2);
        int at = parts[0].lastIndexOf('@');
        boolean hidden = at >= 0 || (parts.length == 2 && parts[1].contains("@"));
        if (!hidden) {
            return parts[0];
        }
        String kind = jdbcUrl.substring(0, jdbcUrl.indexOf(':', "jdbc:".length()) + 1);
        return kind + "…" + (at < 0 ? "" : parts[0].substring(at));
    }

    @Override
    public String toString() {
        return "TenantDatabase[" + address() + (user.isEmpty() ? "" : ", user " + user) + "]";
    }
}
