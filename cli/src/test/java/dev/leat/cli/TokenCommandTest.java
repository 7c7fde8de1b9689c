package dev.leat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private Cli.Ran token(String... args) {
        List<String> all = new ArrayList<>(List.of("token"));
        all.addAll(List.of(args));
        all.addAll(List.of("--file", file().toString()));
        return Cli.run(all.toArray(new String[0]));
    }

    private Path file() {
        return folder.resolve("tokens.json");
    }

    private JsonNode listed() throws JsonProcessingException {
        return JSON.readTree(token("list", "--json").out());
    }

    @Test
    void aTokenIsPrintedOnce() throws IOException {
        Cli.Ran made = token(
                "create",
                "shop",
                "--role",
                "produce",
                "--role",
                "CONSUME",
                "--queue",
                "emails",
                "--queue",
                "billing.*",
                "--expires",
                "90d");

        assertThat(made.exit()).as(made.err()).isZero();
        assertThat(made.out().strip()).matches("leat_[A-Za-z0-9_-]{43}");
        assertThat(Files.readString(file())).doesNotContain(made.out().strip());
        JsonNode entry = listed().get(0);
        assertThat(entry.get("name").textValue()).isEqualTo("shop");
        assertThat(entry.get("roles")).extracting(JsonNode::textValue).containsExactly("produce", "consume");
        assertThat(entry.get("queues")).extracting(JsonNode::textValue).containsExactly("emails", "billing.*");
        assertThat(Duration.between(
                        Instant.parse(entry.get("created").textValue()),
                        Instant.parse(entry.get("expires").textValue())))
                .isEqualTo(Duration.ofDays(90));
        assertThat(entry.has("hash")).isFalse();
    }

    @Test
    void tokensAreListedAndRevoked() throws IOException {
        assertThat(JSON.readTree(token("create", "a", "--role", "admin", "--json")
                                .out())
                        .get("token")
                        .textValue())
                .startsWith("leat_");
        token("create", "b", "--role", "operate", "--queue", "q");

        assertThat(token("list").out().lines().toList())
                .hasSize(3)
                .anySatisfy(line -> assertThat(line).matches("a +admin +all +\\S+Z +never"))
                .anySatisfy(line -> assertThat(line).matches("b +operate +q +\\S+Z +never"));
        assertThat(token("revoke", "a").out().strip()).isEqualTo("a is revoked.");
        assertThat(listed()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            create a                          | 2 | Missing required option: '--role=ROLE'
            create a --role root              | 2 | expected one of [PRODUCE, CONSUME, OPERATE, ADMIN]
            create a --role admin --queue /   | 1 | values of --queue must be 1 to 128 letters, digits
            create anonymous --role admin     | 1 | name must be 1 to 64 letters
            create first --role admin         | 1 | name is taken: 'first'
            revoke nobody                     | 1 | name must be of [first], was 'nobody'
            """)
    void whatIsWrongIsExplained(String line, int exit, String words) throws JsonProcessingException {
        token("create", "first", "--role", "admin");

        Cli.Ran ran = token(line.split(" "));

        assertThat(ran.exit()).isEqualTo(exit);
        assertThat(ran.err()).contains(words);
        assertThat(listed()).hasSize(1);
    }

    @Test
    void aMissingFileIsNamed() {
        assertThat(token("list").err()).contains("There is no file of tokens at");
        assertThat(token("revoke", "a").err()).contains("There is no file of tokens at");
        assertThat(file()).doesNotExist();
    }
}
