package dev.leat.cli.work;

import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.worker.Worker;
import dev.leat.worker.WorkerProgram;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An instance of a class from a user's jars, which names its handlers. Its class loader is a child of Leat's: classes that both have are Leat's, or
 * else a handler of the jar were not the {@code Handler} that the worker knows.
 *
 * <p>The class loader becomes the context class loader of this thread, and of all threads that it starts: there, libraries look
 * for drivers, codecs and other services. It stays open, since classes are loaded until the process ends.
 */
final class UserProgram implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(UserProgram.class);
    private static final String OPTION = "--class";

    private final String name;
    private final WorkerProgram program;

    private UserProgram(String name, WorkerProgram program) {
        this.name = name;
        this.program = program;
    }

    static UserProgram load(List<Path> jars, String name) {
        jars.forEach(UserProgram::check);
        URL[] urls = jars.stream().map(UserProgram::url).toArray(URL[]::new);
        ClassLoader loader = new URLClassLoader("program", urls, UserProgram.class.getClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        String where = jars.stream().map(Path::toString).collect(Collectors.joining(", "));
        try {
            return new UserProgram(name, construct(Class.forName(name, false, loader)));
        } catch (ClassNotFoundException e) {
            throw wrong(name, "is in none of " + where, e);
        } catch (NoClassDefFoundError e) {
            throw wrong(name, "needs " + e.getMessage() + ", which is in none of " + where, e);
        } catch (LinkageError e) {
            throw failed(name, "cannot be loaded", e.getCause() == null ? e : e.getCause());
        }
    }

    /** A class loader ignores a file that is no jar; without this check its classes would just be missing. */
    private static void check(Path jar) {
        if (Files.isDirectory(jar)) {
            return;
        }
        if (!Files.exists(jar)) {
            throw new InvalidRequestException("--jar", jar + " is not there");
        }
        try (JarFile file = new JarFile(jar.toFile())) {
            log.debug("{} has {} entries", jar, file.size());
        } catch (IOException e) {
            throw new InvalidRequestException("--jar", jar + " cannot be read as a jar: " + e.getMessage(), e);
        }
    }

    private static URL url(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new InvalidRequestException("--jar", jar + " has no URL: " + e.getMessage(), e);
        }
    }

    private static WorkerProgram construct(Class<?> type) {
        String name = type.getName();
        if (!WorkerProgram.class.isAssignableFrom(type)) {
            throw new InvalidRequestException(OPTION, name + " does not implement " + WorkerProgram.class.getName());
        }
        try {
            return type.asSubclass(WorkerProgram.class).getConstructor().newInstance();
        } catch (InvocationTargetException e) {
            throw failed(name, "cannot be made", e.getCause() == null ? e : e.getCause());
        } catch (NoSuchMethodException e) {
            throw wrong(name, "has no public constructor without parameters", e);
        } catch (InstantiationException e) {
            throw wrong(name, "is abstract", e);
        } catch (IllegalAccessException e) {
            throw wrong(name, "is not public", e);
        }
    }

    void configure(Worker.Builder worker) {
        try {
            program.configure(worker, System.getenv());
        } catch (LeatException e) {
            throw e;
        } catch (Exception | LinkageError e) {
            throw failed(name, "cannot say its handlers", e);
        }
    }

    /** Whatever is wrong with it then, the worker has stopped well. */
    @Override
    public void close() {
        try {
            program.close();
        } catch (Exception | LinkageError e) {
            log.warn("{} could not be closed", name, e);
        }
    }

    /** Logs the stack trace as well, so that the author finds the line in the program. */
    private static InvalidRequestException failed(String name, String what, Throwable cause) {
        log.error("{} {}", name, what, cause);
        return wrong(name, what + ": " + cause, cause);
    }

    private static InvalidRequestException wrong(String name, String problem, Throwable cause) {
        return new InvalidRequestException(OPTION, name + " " + problem, cause);
    }
}
