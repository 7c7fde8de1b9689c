package dev.leat.bench;

import static org.junit.platform.engine.discovery.ClassNameFilter.excludeClassNamePatterns;
import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;
import static org.junit.platform.engine.discovery.PackageNameFilter.excludePackageNames;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.Filter;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.ClasspathRootSelector;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Runs the tests below some directories in this JVM and ends it at the first test that fails, and fails again: one that
 * does so once may only have met a slow moment of the machine.
 *
 * <p>A file always names the test that runs now, so whoever has to kill this process knows where it hung; another names
 * the tests that failed once.
 */
final class SuiteRun implements TestExecutionListener {
    /** Not 1, with which a JVM ends that could not even start. */
    static final int FAILED = 10;

    private static final String SLOW = ".*(RuntimeTest|LeaderTest|ProcessTest)";
    private static final String MODEL = ".*ModelTest";
    private static final int NOTHING_RAN = 11;
    private static final int SECOND_CHANCES = 2;

    private final Launcher launcher = LauncherFactory.create();
    private final Path current;
    private final Path unsteady;
    private int passed;

    private SuiteRun(Path directory) {
        this.current = directory.resolve("current");
        this.unsteady = directory.resolve("unsteady");
    }

    /** @param args the directory for the files, and those of test classes */
    public static void main(String[] args) {
        SuiteRun run = new SuiteRun(Path.of(args[0]));
        Set<Path> tests = Arrays.stream(args).skip(1).map(Path::of).collect(Collectors.toSet());
        List<ClasspathRootSelector> all = selectClasspathRoots(tests);
        run.execute(all, run, excludeClassNamePatterns(SLOW, MODEL));
        run.execute(all, run, includeClassNamePatterns(SLOW));
        // The model test comes last: it catches most mutants, but a test that states the rule says more.
        run.execute(all, run, includeClassNamePatterns(MODEL));
        Runtime.getRuntime().halt(run.passed > 0 ? 0 : NOTHING_RAN);
    }

    private void execute(
            List<? extends DiscoverySelector> tests, TestExecutionListener listener, Filter<?>... filters) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(tests)
                .filters(filters)
                // The tests of the database servers: slow, and core has no part in them.
                .filters(excludePackageNames("dev.leat.storagetests.server"))
                .build();
        launcher.execute(request, listener);
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (test.isTest()) {
            write(current, name(test));
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.FAILED) {
            write(current, name(test));
            result.getThrowable().ifPresent(Throwable::printStackTrace);
            if (IntStream.range(0, SECOND_CHANCES).anyMatch(i -> failsAgain(test))) {
                Runtime.getRuntime().halt(FAILED);
            }
            write(unsteady, name(test));
        } else if (test.isTest()) {
            passed++;
        }
    }

    private boolean failsAgain(TestIdentifier test) {
        SummaryGeneratingListener second = new SummaryGeneratingListener();
        execute(List.of(selectUniqueId(test.getUniqueIdObject())), second);
        return second.getSummary().getTotalFailureCount() > 0;
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(TestIdentifier test) {
        String source = test.getSource().map(SuiteRun::describe).orElse("");
        return test.getDisplayName().startsWith("[") ? source + " " + test.getDisplayName() : source;
    }

    private static String describe(TestSource source) {
        if (source instanceof MethodSource method) {
            return simpleName(method.getClassName()) + "." + method.getMethodName();
        }
        return source instanceof ClassSource type ? simpleName(type.getClassName()) : source.toString();
    }

    private static String simpleName(String className) {
        return className.replaceFirst(".*[.$]", "");
    }
}
