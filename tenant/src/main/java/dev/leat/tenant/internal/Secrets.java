package dev.leat.tenant.internal;

import dev.leat.tenant.TenantDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The secrets in a tenant's credentials: the password, and parameters that look like one. */
final class Secrets {
    private static final String SECRET_NAME = "(?i).*(pass|pwd|secret|token|key).*";
    private static final Pattern PARAMETER = Pattern.compile("[?&;]([^=&;]+)=([^&;]+)");

    private final Set<String> values;

    private Secrets(Set<String> values) {
        this.values = values;
    }

    static Secrets of(TenantDatabase database) {
        Set<String> values = new HashSet<>();
        values.add(database.password());
        for (Map.Entry<String, String> property : database.properties().entrySet()) {
            addIfSecret(values, property.getKey(), property.getValue());
        }
        Matcher parameter = PARAMETER.matcher(database.jdbcUrl());
        while (parameter.find()) {
            addIfSecret(values, parameter.group(1), parameter.group(2));
        }
        values.remove("");
        return new Secrets(values);
    }

    private static void addIfSecret(Set<String> values, String name, String value) {
        if (name.matches(SECRET_NAME)) {
            values.add(value);
        }
    }

    /** The exception itself; or a replacement, if its message or a cause's message contains a secret. */
    SQLException leftOut(SQLException e) {
        StringWriter text = new StringWriter();
        for (Throwable part : e) {
            part.printStackTrace(new PrintWriter(text, true));
        }
        boolean quotes = values.stream().anyMatch(text.toString()::contains);
        return quotes
                ? new SQLException(
                        "the driver's message is left out, because it quotes a secret",
                        e.getSQLState(),
                        e.getErrorCode())
                : e;
    }
}
