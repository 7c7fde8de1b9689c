package dev.leat;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who may know whom. It lives in the module that has all others on its class path. */
class ArchitectureTest {

    /** Packages of core below {@code dev.leat}; the packages of other modules are named like their module. */
    private static final Set<String> CORE_PACKAGES =
            Set.of("error", "queue", "schedule", "topic", "storage", "worker", "internal");

    private static final String[] CORE = Stream.concat(
                    Stream.of("dev.leat"), CORE_PACKAGES.stream().map(name -> "dev.leat." + name + ".."))
            .toArray(String[]::new);

    private static final String SQL = "dev.leat.sql.internal";

    /** The floors of the SQL storages, lowest first: each knows only those below it. */
    private static final List<String> SQL_FLOORS =
            List.of("jdbc", "row", "work", "operation", "peers", "engine", "fast", "upkeep");

    private static final int MOST_TYPES = 45;

    private static final JavaClasses LEAT = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.leat");

    /** A module missing from the class path would pass every other rule. */
    @Test
    void everyClassOfEveryModuleIsLookedAt() throws IOException {
        List<String> unseen = topLevelClassesIn("src/main/java")
                .filter(name -> !LEAT.contain(name))
                .toList();

        assertThat(unseen)
                .as("classes not on the class path of cli's tests: add their module to cli/pom.xml")
                .isEmpty();
    }

    @Test
    void everyModuleIsInTheTableOfTheReadme() throws IOException {
        String readme = Files.readString(Path.of("../README.md"));
        Matcher modules = Pattern.compile("<module>(.*?)</module>").matcher(Files.readString(Path.of("../pom.xml")));

        assertThat(modules.results().map(module -> "| `" + module.group(1) + "` |"))
                .isNotEmpty()
                .allSatisfy(row -> assertThat(readme).contains(row));
    }

    /** A program that depends on {@code dev.leat:leat} gets what it names, and nothing else of ours. */
    @Test
    void theStarterHasNoClassesOfItsOwn() {
        assertThat(Path.of("../starter/pom.xml")).exists();
        assertThat(Path.of("../starter/src/main")).doesNotExist();
    }

    @Test
    void coreKnowsOnlyTheJdkAndSlf4j() {
        hold(classes()
                .that()
                .resideInAnyPackage(CORE)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(and(CORE, "java..", "javax.sql..", "org.slf4j..", "org.jspecify..")));
    }

    @Test
    void noModuleUsesTheInternalsOfAnother() {
        hold(classes().should(notUseInternalsOfAnotherModule()));
    }

    @Test
    void theStorageSeamKnowsNeitherWorkersNorInternals() {
        hold(noClasses()
                .that()
                .resideInAPackage("dev.leat.storage..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.leat.worker..", "dev.leat.internal.."));
    }

    @Test
    void theMemoryStorageDoesNotKnowTheWorkerRuntime() {
        hold(noClasses()
                .that()
                .resideInAPackage("dev.leat.internal.memory..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.leat.internal.worker.."));
    }

    @Test
    void theWorkerRuntimeDoesNotKnowTheMemoryStorage() {
        hold(noClasses()
                .that()
                .resideInAPackage("dev.leat.internal.worker..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.leat.internal.memory.."));
    }

    /** Values that travel between doors, storages and wire: none of them can open or change anything. */
    @Test
    void valuesDoNotKnowTheDoors() {
        hold(noClasses()
                .that()
                .resideInAnyPackage("dev.leat.error..", "dev.leat.queue..", "dev.leat.schedule..", "dev.leat.topic..")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("dev\\.leat\\.(Leat|Producer|Queue|Group|Workflow|DeadLetters|Leadership"
                        + "|Schedules|Subscriptions)"));
    }

    @Test
    void eachFloorOfTheSqlStoragesKnowsOnlyThoseBelow() {
        for (int floor = 0; floor < SQL_FLOORS.size(); floor++) {
            String[] above = Stream.concat(
                            Stream.of(SQL),
                            SQL_FLOORS.subList(floor + 1, SQL_FLOORS.size()).stream()
                                    .map(name -> SQL + "." + name + ".."))
                    .toArray(String[]::new);
            hold(noClasses()
                    .that()
                    .resideInAPackage(SQL + "." + SQL_FLOORS.get(floor) + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(above));
        }
    }

    @Test
    void everyPackageOfTheSqlStoragesHasAFloor() {
        assertThat(LEAT.stream()
                        .map(JavaClass::getPackageName)
                        .filter(name -> name.startsWith(SQL + "."))
                        .map(name -> name.substring(SQL.length() + 1).split("\\.", -1)[0]))
                .isSubsetOf(SQL_FLOORS);
    }

    @Test
    void noPackagesOfAModuleKnowEachOther() {
        for (String packages : List.of(
                "dev.leat.sql.(**)", "dev.leat.cli.(**)", "dev.leat.server.internal.(**)", "dev.leat.internal.(**)")) {
            hold(SlicesRuleDefinition.slices().matching(packages).should().beFreeOfCycles());
        }
    }

    @Test
    void noPackageHasMoreThanFortyFiveTypes() {
        assertThat(typesByPackage())
                .isNotEmpty()
                .allSatisfy((name, types) -> assertThat(types).as(name).isLessThanOrEqualTo(MOST_TYPES));
    }

    private static Map<String, Long> typesByPackage() {
        return LEAT.stream()
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, TreeMap::new, Collectors.counting()));
    }

    /** Counts source files, because the class path of these tests has no test classes of other modules. */
    @Test
    void noPackageOfTestsHasMoreThanFortyFiveFiles() throws IOException {
        assertThat(testFilesByPackage())
                .containsKeys("dev.leat.sql.storage", "dev.leat.server")
                .allSatisfy((name, files) -> assertThat(files).as(name).isLessThanOrEqualTo(MOST_TYPES));
    }

    private static Map<String, Long> testFilesByPackage() throws IOException {
        return topLevelClassesIn("src/test/java")
                .collect(Collectors.groupingBy(
                        name -> name.substring(0, name.lastIndexOf('.')), TreeMap::new, Collectors.counting()));
    }

    /** A rule whose subject matches no class fails: it would guard nothing. */
    private static void hold(ArchRule rule) {
        rule.allowEmptyShould(false).check(LEAT);
    }

    private static ArchCondition<JavaClass> notUseInternalsOfAnotherModule() {
        return new ArchCondition<>("not use internals of another module") {
            @Override
            public void check(JavaClass user, ConditionEvents events) {
                for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
                    JavaClass used = dependency.getTargetClass();
                    if (isInternalToLeat(used) && !moduleOf(used).equals(moduleOf(user))) {
                        events.add(SimpleConditionEvent.violated(user, dependency.getDescription()));
                    }
                }
            }
        };
    }

    private static boolean isInternalToLeat(JavaClass type) {
        String name = type.getPackageName() + ".";
        return name.startsWith("dev.leat.") && name.contains(".internal.");
    }

    /** {@code dev.leat.json.internal} belongs to {@code json}, {@code dev.leat.storage} to {@code core}. */
    private static String moduleOf(JavaClass type) {
        String[] parts = type.getPackageName().split("\\.", -1);
        boolean core = parts.length < 3 || CORE_PACKAGES.contains(parts[2]);
        return core ? "core" : parts[2];
    }

    private static Stream<String> topLevelClassesIn(String sources) throws IOException {
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            return modules.map(module -> module.resolve(sources)).filter(Files::isDirectory).toList().stream()
                    .flatMap(ArchitectureTest::topLevelClassesBelow);
        }
    }

    private static Stream<String> topLevelClassesBelow(Path sources) {
        try (Stream<Path> files = Files.walk(sources)) {
            return files
                    .map(file -> sources.relativize(file).toString().replace('\\', '/'))
                    .filter(file -> file.endsWith(".java") && !file.endsWith("-info.java"))
                    .map(file ->
                            file.substring(0, file.length() - ".java".length()).replace('/', '.'))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String[] and(String[] packages, String... more) {
        return Stream.of(packages, more).flatMap(Stream::of).toArray(String[]::new);
    }
}
