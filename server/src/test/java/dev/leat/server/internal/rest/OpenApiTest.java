package dev.leat.server.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.leat.Attempt;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.Leat;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.Touch;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.server.ServerOptions;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The description of the API against the code. */
class OpenApiTest {
    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch", "head", "options");
    private static final JsonNode DOCUMENT = OpenApi.DOCUMENT.body().orElseThrow();

    @Test
    void itDescribesEveryRouteAndNothingElse() {
        Set<String> described = new TreeSet<>();
        DOCUMENT.get("paths")
                .properties()
                .forEach(path -> path.getValue().fieldNames().forEachRemaining(name -> {
                    if (METHODS.contains(name)) {
                        described.add(name.toUpperCase(Locale.ROOT) + " " + path.getKey());
                    }
                }));

        Set<String> served = new TreeSet<>();
        try (Leat leat = Leat.open("memory:")) {
            Api.routes(leat, new QueueAccess(leat), ServerOptions.standard())
                    .forEach(route -> served.add(route.method() + " " + route.path()));
        }

        assertThat(described).isEqualTo(served);
    }

    @Test
    void everyVariableOfAPathIsDescribed() {
        DOCUMENT.get("paths").properties().forEach(path -> {
            List<String> variables = Pattern.compile("\\{(\\w+)}")
                    .matcher(path.getKey())
                    .results()
                    .map(variable -> "#/components/parameters/" + variable.group(1))
                    .toList();

            assertThat(path.getValue().path("parameters").findValuesAsText("$ref"))
                    .as(path.getKey())
                    .isEqualTo(variables);
        });
    }

    static Stream<Arguments> names() {
        String options = "/components/schemas/QueueOptions/properties/";
        return Stream.of(
                Arguments.of("/components/schemas/TaskState", TaskState.class),
                Arguments.of("/components/schemas/Attempt/properties/outcome", Attempt.Outcome.class),
                Arguments.of("/components/schemas/Group/properties/state", GroupInfo.State.class),
                Arguments.of(
                        "/paths/~1v1~1groups/post/requestBody/content/application~1json/schema/properties/onFailure",
                        GroupSpec.OnFailure.class),
                Arguments.of("/components/schemas/Queue/properties/setBy", QueueInfo.SetBy.class),
                Arguments.of(
                        "/paths/~1v1~1touch/post/responses/200/content/application~1json/schema/properties/results/items/properties/result",
                        Touch.Result.Status.class),
                Arguments.of(options + "ttrDefault", QueueOptions.TtrDefault.class),
                Arguments.of(options + "lifetime", QueueOptions.Lifetime.class),
                Arguments.of(options + "placeBy", QueueOptions.PlaceBy.class),
                Arguments.of(options + "typeFilter", QueueOptions.TypeFilter.class),
                Arguments.of(options + "tenants", QueueOptions.Tenants.class),
                Arguments.of(options + "charge", RetryPolicy.Charge.class),
                Arguments.of(options + "anchor", RetryPolicy.Anchor.class),
                Arguments.of(options + "exhausted", Exhaustion.class));
    }

    @Test
    void itKnowsEveryKindOfChange() {
        Set<String> described = new TreeSet<>();
        DOCUMENT.at("/components/schemas/ChangeKind").get("enum").forEach(name -> described.add(name.textValue()));

        assertThat(described)
                .isEqualTo(Arrays.stream(TaskEvent.Kind.values())
                        .filter(kind -> kind != TaskEvent.Kind.UNCHANGED)
                        .map(kind -> kind.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.toSet()));
    }

    @ParameterizedTest
    @MethodSource("names")
    void itKnowsEveryName(String pointer, Class<? extends Enum<?>> type) {
        Set<String> described = new TreeSet<>();
        DOCUMENT.at(pointer).get("enum").forEach(name -> described.add(name.textValue()));

        assertThat(described)
                .isEqualTo(Arrays.stream(type.getEnumConstants())
                        .map(value -> value.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.toSet()));
    }
}
