package dev.leat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** Makes jars as users do: out of sources, with Leat on the class path. */
final class Jars {
    private static final Pattern PACKAGE = Pattern.compile("(?m)^package (.*);");
    private static final Pattern TYPE = Pattern.compile("(?m)^(?:public )?(?:abstract )?(?:class|interface) (\\w+)");

    private Jars() {}

    /** @param needed jars that the sources are compiled with, too */
    static Path jar(Path jar, List<Path> needed, String... sources) throws IOException {
        pack(classes(jar.toAbsolutePath().getParent(), needed, sources), jar);
        return jar;
    }

    /** A folder of classes, which does as well as a jar. */
    static Path classes(Path parent, List<Path> needed, String... sources) throws IOException {
        Path folder = Files.createTempDirectory(parent, "sources");
        Path classes = Files.createDirectory(folder.resolve("classes"));
        List<String> arguments = new ArrayList<>(List.of("-d", classes.toString(), "-proc:none", "--class-path"));
        List<String> classPath = new ArrayList<>(List.of(System.getProperty("java.class.path")));
        needed.forEach(path -> classPath.add(path.toString()));
        arguments.add(String.join(File.pathSeparator, classPath));
        for (String source : sources) {
            arguments.add(Files.writeString(folder.resolve(first(TYPE, source) + ".java"), source)
                    .toString());
        }
        int exit = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
        assertThat(exit).isZero();
        return classes;
    }

    /** The name with which {@code leat worker} asks for it. */
    static String className(String source) {
        return first(PACKAGE, source) + "." + first(TYPE, source);
    }

    private static String first(Pattern pattern, String source) {
        Matcher matcher = pattern.matcher(source);
        assertThat(matcher.find()).as("%s in %s", pattern, source).isTrue();
        return matcher.group(1);
    }

    private static void pack(Path classes, Path jar) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(
                        new JarEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
                Files.copy(file, out);
            }
        }
    }
}
