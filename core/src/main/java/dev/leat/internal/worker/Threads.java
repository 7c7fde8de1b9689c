package dev.leat.internal.worker;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Makes virtual threads if the JVM has them, otherwise daemon threads. */
final class Threads {
    private Threads() {}

    static ThreadFactory named(String prefix) {
        ThreadFactory virtual = virtualOrNull(prefix);
        if (virtual != null) {
            return virtual;
        }
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + count.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Uses reflection, because Leat is compiled for Java 17, which lacks {@code Thread.ofVirtual()}. */
    private static @Nullable ThreadFactory virtualOrNull(String prefix) {
        try {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            Class<?> builder = Class.forName("java.lang.Thread$Builder");
            Class<?> ofVirtual = Class.forName("java.lang.Thread$Builder$OfVirtual");
            MethodHandle make = lookup.findStatic(Thread.class, "ofVirtual", MethodType.methodType(ofVirtual));
            MethodHandle name =
                    lookup.findVirtual(builder, "name", MethodType.methodType(builder, String.class, long.class));
            MethodHandle factory = lookup.findVirtual(builder, "factory", MethodType.methodType(ThreadFactory.class));
            return (ThreadFactory) factory.invoke(name.invoke(make.invoke(), prefix, 0L));
        } catch (ReflectiveOperationException | UnsupportedOperationException e) {
            return null; // Java 17, or 19 and 20 without their preview
        } catch (Throwable e) {
            throw new IllegalStateException("this JVM has virtual threads but does not make them", e);
        }
    }
}
