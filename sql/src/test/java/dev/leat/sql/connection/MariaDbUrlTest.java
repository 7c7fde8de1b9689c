package dev.leat.sql.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.StorageException;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.storagetests.server.MariaDbServer;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A wrong URL, and a server that cannot do what is wanted, are told in words that say what to do. */
@Tag("engine")
class MariaDbUrlTest {
    private final MariaDbServer server = MariaDbServer.shared();
    private final String url = server.newDatabase();

    private static Storage open(String url) {
        return Storages.open(url, StorageSettings.standard());
    }

    @Test
    void leatFindsTheStorageByItsUrl() {
        try (Leat leat = Leat.open(url)) {
            leat.put("q", "hello");
            assertThat(leat.take("q").orElseThrow().payload().text()).isEqualTo("hello");
        }
    }

    @Test
    void theNameOfMySqlIsUnderstoodToo() {
        try (Storage storage = open(url.replace("jdbc:mariadb:", "jdbc:mysql:"))) {
            assertThat(storage.name()).isEqualTo("mariadb");
        }
    }

    @Test
    void anotherSchemaAndAnotherPrefixAreOtherLeats() {
        String other = TestDatabase.on(server).name();
        try (Storage one = open(url);
                Storage two = open(url + "&prefix=two_");
                Storage three = open(url + "&schema=" + other)) {
            one.queues().create("q", QueueOptions.standard());

            assertThat(two.queues().list()).isEmpty();
            assertThat(three.queues().list()).isEmpty();
        }
    }

    @Test
    void aWrongParameterIsRefused() {
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> open(url + "&portable=perhaps"))
                .withMessageContaining("false or true");
    }

    @Test
    void aMissingDatabaseIsNamed() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> open(server.url("nowhere")))
                .withMessageContaining("the database does not exist")
                .withMessageContaining("nowhere");
    }

    @Test
    void aWrongPasswordIsToldAsSuch() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> open(url + "&password=wrong"))
                .withMessageContaining("check user and password");
    }

    @Test
    void withoutMigrationMissingTablesAreAnError() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> open(url + "&migrate=false"))
                .withMessageContaining("migrate=false");
    }

    /** The server's own limit, which is 16 MB unless set, leaves no room for a payload of that size. */
    @Test
    void aPayloadThatTheServerDoesNotTakeIsRefusedWithTheSettingToRaise() {
        NewTask large = NewTask.to("q")
                .payload(Payload.of(new byte[Payload.MAX_BYTES], "application/octet-stream"))
                .build();
        try (Storage storage = open(url)) {
            storage.queues().create("q", QueueOptions.standard());

            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> storage.put(List.of(large)))
                    .withMessageContaining("max_allowed_packet");
            assertThat(storage.put(List.of(NewTask.to("q").build()))).hasSize(1);
        }
    }
}
