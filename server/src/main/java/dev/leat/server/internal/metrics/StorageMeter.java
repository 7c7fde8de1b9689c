package dev.leat.server.internal.metrics;

import dev.leat.SettleResult;
import dev.leat.TakenTask;
import dev.leat.storage.GroupStorage;
import dev.leat.storage.QueueStorage;
import dev.leat.storage.ScheduleStorage;
import dev.leat.storage.SessionStorage;
import dev.leat.storage.Storage;
import dev.leat.storage.SubscriptionStorage;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Measures the calls of a storage and of its parts, whoever makes them: routes, takes that wait, heartbeats and sweeps. A proxy, because
 * all of the storage's many methods are treated alike. A call of a part is named like {@code sessions.heartbeat}.
 */
public final class StorageMeter implements InvocationHandler {
    /** What answers without the engine, or only hands out something else. */
    private static final Set<String> NOT_MEASURED = Set.of(
            "name",
            "capabilities",
            "signal",
            "lock",
            "with",
            "begin",
            "unwrap",
            "close",
            "equals",
            "hashCode",
            "toString");

    /** The storage's methods that hand out a part of it, whose calls are measured too. */
    private static final Map<String, Class<?>> PARTS = Map.of(
            "queues", QueueStorage.class,
            "sessions", SessionStorage.class,
            "groups", GroupStorage.class,
            "subscriptions", SubscriptionStorage.class,
            "schedules", ScheduleStorage.class);

    /** From a millisecond to ten seconds. */
    private static final Duration[] BUCKETS = Arrays.stream(
                    new double[] {.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10})
            .mapToObj(seconds -> Duration.ofNanos(Math.round(seconds * 1e9)))
            .toArray(Duration[]::new);

    private final Storage storage;
    private final Map<String, Object> parts = new ConcurrentHashMap<>();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Map<String, Timer> calls = new ConcurrentHashMap<>();
    private final Map<String, Timer> starts = new ConcurrentHashMap<>();
    private final Counter fenced = Counter.builder("leat.fenced.settles")
            .description("Settles that came too late: the lease was lost.")
            .register(registry);
    /** How far the storage's clock, which dates tasks, is ahead of ours; measured whenever somebody asks for its time. */
    private volatile Duration ahead = Duration.ZERO;

    private StorageMeter(Storage storage) {
        this.storage = storage;
    }

    public static Storage around(Storage storage) {
        Storage measured = (Storage) Proxy.newProxyInstance(
                Storage.class.getClassLoader(), new Class<?>[] {Storage.class}, new StorageMeter(storage));
        measured.now();
        return measured;
    }

    /** The meter of a storage that is measured. */
    static Optional<StorageMeter> of(Storage storage) {
        return storage.unwrap(StorageMeter.class);
    }

    String scrape() {
        return registry.scrape();
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (method.getName().equals("unwrap") && arguments != null && arguments[0] == StorageMeter.class) {
            return Optional.of(this);
        }
        Class<?> part = PARTS.get(method.getName());
        return part == null
                ? measured(method.getName(), storage, method, arguments)
                : parts.computeIfAbsent(method.getName(), name -> measuredPart(name, part, method));
    }

    private Object measuredPart(String name, Class<?> part, Method method) {
        try {
            Object real = method.invoke(storage);
            return Proxy.newProxyInstance(
                    part.getClassLoader(),
                    new Class<?>[] {part},
                    (proxy, called, arguments) -> measured(name + "." + called.getName(), real, called, arguments));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private @Nullable Object measured(
            String name, Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        long began = System.nanoTime();
        try {
            Object result = method.invoke(target, arguments);
            note(name, result);
            return result;
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        } finally {
            if (!NOT_MEASURED.contains(name)) {
                timer(name).record(Duration.ofNanos(System.nanoTime() - began));
            }
        }
    }

    private void note(String method, @Nullable Object result) {
        if (result instanceof Instant now && method.equals("now")) {
            ahead = Duration.between(Instant.now(), now);
        } else if (result instanceof List<?> results) {
            results.forEach(each -> {
                if (each instanceof TakenTask taken) {
                    noteStart(taken);
                } else if (each instanceof SettleResult settled && settled.status() == SettleResult.Status.GONE) {
                    fenced.increment();
                }
            });
        }
    }

    /** A task that comes again has not been waiting since its put. */
    private void noteStart(TakenTask taken) {
        if (taken.task().attempts() != 1) {
            return;
        }
        Duration waited = Duration.between(taken.task().due(), Instant.now().plus(ahead));
        starts.computeIfAbsent(taken.task().queue(), this::startTimer)
                .record(waited.isNegative() ? Duration.ZERO : waited);
    }

    private Timer startTimer(String queue) {
        return Timer.builder("leat.enqueue.to.start")
                .description("From a task's put, or its due time if it was delayed, to its first take.")
                .tag("queue", queue)
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }

    private Timer timer(String method) {
        return calls.computeIfAbsent(method, name -> Timer.builder("leat.storage.call")
                .description("How long calls of the storage take, those that fail too.")
                .tag("method", name)
                .serviceLevelObjectives(BUCKETS)
                .register(registry));
    }
}
