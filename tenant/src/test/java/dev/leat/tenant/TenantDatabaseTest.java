package dev.leat.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.error.InvalidRequestException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What people get to read of a database. */
class TenantDatabaseTest {
    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://h:5432/db, jdbc:postgresql://h:5432/db",
        "jdbc:postgresql://h/db?user=u&password=hush, jdbc:postgresql://h/db",
        "jdbc:postgresql://h/db?user=a@b&password=hush, jdbc:postgresql:…",
        "jdbc:sqlserver://h;user=u;password=hush, jdbc:sqlserver://h",
        "jdbc:mysql://u:hush@h:3306/db, jdbc:mysql:…@h:3306/db",
        "jdbc:mysql://u:hu?sh@h:3306/db, jdbc:mysql:…",
        "jdbc:oracle:thin:u/hush@//h:1521/s, jdbc:oracle:…@//h:1521/s"
    })
    void anAddressHasNoSecrets(String url, String address) {
        assertThat(new TenantDatabase(url, "u", "p").address()).isEqualTo(address);
    }

    @Test
    void textHasNoPasswordAndNoProperties() {
        assertThat(new TenantDatabase("jdbc:sqlite:a.db", "u", "hush", Map.of("key", "hush")))
                .hasToString("TenantDatabase[jdbc:sqlite:a.db, user u]");
    }

    @Test
    void anotherUrlIsRefusedAndNotShown() {
        assertThatThrownBy(() -> new TenantDatabase("hush", "u", "p"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("jdbcUrl must begin with jdbc:");
    }
}
