package dev.leat.internal;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a Leat when the JVM shuts down, and lets a second Ctrl-C end the JVM at once.
 *
 * <p>Registered at the first worker, take or candidacy. Removed by close(), because a registered hook would keep a closed
 * Leat in memory. Safe from any thread.
 */
public final class ShutdownHook {
    private static final Logger log = LoggerFactory.getLogger(ShutdownHook.class);
    /** The exit code of a process that SIGINT ended. */
    private static final int ENDED_BY_INTERRUPT = 130;

    private enum State {
        UNUSED,
        REGISTERED,
        OVER
    }

    private final Thread hook;
    /** Each take reads it without the lock. */
    private volatile State state;

    private volatile boolean running;

    private ShutdownHook(Runnable close, State state) {
        this.hook = new Thread(() -> run(close), "leat-shutdown");
        this.state = state;
    }

    public static ShutdownHook closingWith(Runnable close) {
        return new ShutdownHook(close, State.UNUSED);
    }

    /** A hook for a Leat that the program closes itself. */
    public static ShutdownHook none() {
        return new ShutdownHook(() -> {}, State.OVER);
    }

    /** Installs the hook, at the first worker, take or leadership. */
    public void register() {
        if (state == State.UNUSED) {
            registerOnce();
        }
    }

    private synchronized void registerOnce() {
        if (state != State.UNUSED) {
            return;
        }
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            state = State.REGISTERED;
        } catch (IllegalStateException e) {
            log.debug("The JVM shuts down already; the Leat is closed by its owner or not at all", e);
            state = State.OVER;
        }
    }

    /** Removes the hook after the close. */
    public synchronized void remove() {
        boolean isRegistered = state == State.REGISTERED;
        state = State.OVER;
        if (!isRegistered || running) {
            return;
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            log.debug("The JVM shuts down: the hook runs, or has run");
        }
    }

    /** Whether the JVM shuts down and this hook closes the Leat. */
    public boolean isRunning() {
        return running;
    }

    private void run(Runnable close) {
        running = true;
        haltAtNextInterrupt();
        close.run();
    }

    /**
     * Lets a second SIGINT halt the JVM, which otherwise ignores SIGINT during a shutdown. Uses reflection, because a JVM can be built without
     * {@code jdk.unsupported}; there, a second Ctrl-C waits for the shutdown.
     */
    private static void haltAtNextInterrupt() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object halt = Proxy.newProxyInstance(
                    ShutdownHook.class.getClassLoader(),
                    new Class<?>[] {handler},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "handle" -> {
                            Runtime.getRuntime().halt(ENDED_BY_INTERRUPT);
                            yield null;
                        }
                        case "equals" -> proxy == arguments[0];
                        case "hashCode" -> System.identityHashCode(proxy);
                        default -> "halts the JVM";
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("INT"), halt);
        } catch (ReflectiveOperationException | RuntimeException e) {
            log.debug("A second Ctrl-C waits for the first", e);
        }
    }
}
