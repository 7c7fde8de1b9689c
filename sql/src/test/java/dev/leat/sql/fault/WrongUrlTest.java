package dev.leat.sql.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leat.Leat;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.StorageException;
import dev.leat.sql.internal.SqlProvider;
import dev.leat.storage.StorageSettings;
import java.io.File;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A URL that leads nowhere says why. */
class WrongUrlTest {
    @Test
    void anUnknownSchemeIsRefusedWithThoseThatAreKnown() {
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> Leat.open("postgres://ada:secret@db/jobs?password=secret"))
                .withMessageContaining("postgres://…@db/jobs?…")
                .withMessageContaining("jdbc:mariadb:, jdbc:mysql:, jdbc:postgresql:, memory:, sqlite:")
                .withMessageContaining("dev.leat:leat-sql");
    }

    /** All at once: each is tried for some seconds. */
    @Test
    void whoeverCannotBeReachedIsNamed() {
        Map<String, String> reasons = Map.of(
                "jdbc:postgresql://nowhere.invalid/jobs", "the host nowhere.invalid is not known",
                "jdbc:mariadb://nowhere.invalid/jobs", "the host nowhere.invalid is not known",
                "jdbc:postgresql://127.0.0.1:1/jobs", "the server cannot be reached (Connection to 127.0.0.1:1 refused",
                "jdbc:mariadb://127.0.0.1:1/jobs", "there is no connection to the server (Socket fail to connect");
        ExecutorService threads = Executors.newFixedThreadPool(reasons.size());
        try {
            Map<String, CompletableFuture<Throwable>> errors = new HashMap<>();
            reasons.keySet()
                    .forEach(url -> errors.put(
                            url, CompletableFuture.supplyAsync(() -> catchThrowable(() -> Leat.open(url)), threads)));

            reasons.forEach((url, reason) -> assertThat(errors.get(url).join())
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining(reason));
        } finally {
            threads.shutdown();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "sqlite:a.db, sqlite-jdbc, org.xerial:sqlite-jdbc",
        "jdbc:postgresql://db/jobs, org/postgresql, org.postgresql:postgresql",
        "jdbc:mariadb://db/jobs, mariadb-java-client, org.mariadb.jdbc:mariadb-java-client",
        "jdbc:mysql://db/jobs, mariadb-java-client, org.mariadb.jdbc:mariadb-java-client"
    })
    void aMissingDriverIsNamed(String url, String jar, String artifact) throws Exception {
        try (URLClassLoader loader = without(jar)) {
            Class<?> provider = loader.loadClass(SqlProvider.class.getName());
            Class<?> settings = loader.loadClass(StorageSettings.class.getName());
            Method open = provider.getMethod("open", String.class, settings);
            Object standard = settings.getMethod("standard").invoke(null);
            Object opener = provider.getConstructor().newInstance();

            assertThatThrownBy(() -> open.invoke(opener, url, standard)).cause().hasMessageContaining(artifact);
        }
    }

    private static URLClassLoader without(String jar) throws MalformedURLException {
        List<String> entries = Arrays.stream(
                        System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains(jar))
                .toList();
        URL[] urls = new URL[entries.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = Path.of(entries.get(i)).toUri().toURL();
        }
        return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    }
}
