package dev.leat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Compiles every Java snippet of the documentation, and follows every link between its pages. */
class DocsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern SNIPPET = Pattern.compile("(?ms)^```java\\R(.*?)^```");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");

    private static final Pattern PUBLIC_CLASS = Pattern.compile("public class (\\w+)");

    /** What a reader of a snippet takes for granted. */
    private static final String AROUND = """
            import dev.leat.*;
            import dev.leat.Queue;
            import dev.leat.error.*;
            import dev.leat.queue.*;
            import dev.leat.schedule.*;
            import dev.leat.topic.*;
            import dev.leat.webhook.*;
            import dev.leat.tenant.*;
            import dev.leat.worker.*;
            import java.time.*;
            import java.util.List;
            import java.util.Map;

            abstract class Snippet {
                interface Mailer {
                    void send(Object email);
                }

                Leat leat;
                Worker worker;
                Mailer mailer;

                abstract javax.sql.DataSource myDataSource();

                void snippet() throws Exception {
            %s
                }
            }
            """;

    @TempDir
    Path classes;

    @TestFactory
    Stream<DynamicTest> everySnippetCompiles() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Path page : pages()) {
            Matcher snippet = SNIPPET.matcher(Files.readString(page));
            while (snippet.find()) {
                String code = snippet.group(1);
                tests.add(DynamicTest.dynamicTest(
                        page.getFileName() + ": " + code.lines().findFirst().orElse(""), () -> compile(code)));
            }
        }
        assertThat(tests).as("snippets found").hasSizeGreaterThan(5);
        return tests.stream();
    }

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : pages()) {
            Matcher link = LINK.matcher(Files.readString(page));
            while (link.find()) {
                Path target = page.resolveSibling(link.group(1));
                if (!Files.exists(target)) {
                    broken.add(page.getFileName() + " → " + link.group(1));
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> examples = Files.list(ROOT.resolve("examples"));
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            Stream.of(top, examples, docs)
                    .flatMap(found -> found)
                    .filter(path -> path.toString().endsWith(".md"))
                    .forEach(pages::add);
        }
        return pages;
    }

    @Test
    void theProgramOfTheReadmeSendsItsMailsUntilItIsStopped(@TempDir Path folder) throws Exception {
        Matcher program = SNIPPET.matcher(Files.readString(ROOT.resolve("README.md")));
        assertThat(program.find()).isTrue();
        compile(program.group(1));
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classes + File.pathSeparator + System.getProperty("java.class.path"),
                        "Main")
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(output.toFile())
                .start();
        try {
            await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> assertThat(Files.readAllLines(output))
                    .containsExactlyInAnyOrder("Sending Hello to ada@example.org", "Sending Bye to bob@example.org"));

            process.toHandle().destroy();

            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as("ended by SIGTERM").isEqualTo(143);
        } finally {
            process.destroyForcibly();
        }
        try (Leat leat = Leat.open("sqlite:" + folder.resolve("jobs.db"))) {
            assertThat(leat.queue("emails").stats().count(TaskState.DONE)).isEqualTo(2);
        }
    }

    /** A snippet that begins with its package or its imports is a whole file. */
    private void compile(String code) {
        boolean isFile = code.startsWith("package ") || code.startsWith("import ");
        String name = isFile
                ? PUBLIC_CLASS.matcher(code).results().findFirst().orElseThrow().group(1)
                : "Snippet";
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        JavaFileObject source =
                new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return isFile ? code : AROUND.formatted(code);
                    }
                };
        List<String> options =
                List.of("-d", classes.toString(), "-proc:none", "--class-path", System.getProperty("java.class.path"));
        boolean compiled = compiler.getTask(null, null, problems, options, null, List.of(source))
                .call();
        assertThat(compiled).as("%s%n%s", code, problems.getDiagnostics()).isTrue();
    }
}
