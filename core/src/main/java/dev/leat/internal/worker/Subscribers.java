package dev.leat.internal.worker;

import dev.leat.error.InvalidRequestException;
import dev.leat.topic.Subscription;
import dev.leat.worker.DeadSubscriber;
import dev.leat.worker.Handler;
import dev.leat.worker.RunningTask;
import dev.leat.worker.Subscriber;
import dev.leat.worker.Worker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes handlers for subscriptions. */
final class Subscribers {
    private Subscribers() {}

    /** Reads the subscription for each task, because plain SQL can disable it while copies wait. */
    static <T> Handler<T> whileActive(Handler<? super T> handler) {
        return (payload, task) -> {
            Optional<Subscription> subscription =
                    task.task().subscriber().flatMap(task.leat().subscriptions()::find);
            if (subscription.filter(Subscription::isActive).isPresent()) {
                handler.handle(payload, task);
            } else {
                String why =
                        subscription.flatMap(Subscription::whyDisabled).orElse("the subscription is gone or disabled");
                task.cancel(why);
            }
        };
    }

    /** Adds the annotated methods of an object. */
    static void addAll(Worker.Builder builder, String queue, Object methods) {
        boolean isAny = false;
        for (Method method : methods.getClass().getMethods()) {
            Subscriber alive = method.getAnnotation(Subscriber.class);
            DeadSubscriber dead = method.getAnnotation(DeadSubscriber.class);
            isAny |= alive != null || dead != null;
            if (alive != null) {
                add(
                        methods,
                        method,
                        payloadType(method),
                        (type, handler) -> builder.subscriber(queue, alive.value(), type, handler));
            }
            if (dead != null) {
                add(
                        methods,
                        method,
                        payloadType(method),
                        (type, handler) -> builder.deadSubscriber(queue, dead.value(), type, handler));
            }
        }
        if (!isAny) {
            throw new InvalidRequestException(
                    "subscribers",
                    "of " + methods.getClass().getName() + ": no public method has @Subscriber or @DeadSubscriber");
        }
    }

    /** Adds a handler to the builder. */
    private interface Registry {
        Worker.Builder add(Class<Object> type, Handler<Object> handler);
    }

    private static void add(Object methods, Method method, Class<Object> type, Registry registry) {
        Worker.Builder unused = registry.add(type, (payload, task) -> call(methods, method, payload, task));
    }

    @SuppressWarnings("unchecked") // the codec reads the payload as this class
    private static Class<Object> payloadType(Method method) {
        Class<?>[] types = method.getParameterTypes();
        boolean isWrong = types.length == 0;
        for (int i = 1; i < types.length; i++) {
            isWrong |= types[i] != Subscription.class && types[i] != RunningTask.class;
        }
        if (isWrong || !method.trySetAccessible()) {
            throw new InvalidRequestException(
                    "subscribers",
                    "must take the payload first, then Subscription or RunningTask; this does not: " + method);
        }
        return (Class<Object>) types[0];
    }

    private static void call(Object methods, Method method, Object payload, RunningTask task) throws Exception {
        Class<?>[] types = method.getParameterTypes();
        @Nullable Object[] values = new @Nullable Object[types.length];
        values[0] = payload;
        for (int i = 1; i < types.length; i++) {
            values[i] = types[i] == RunningTask.class ? task : subscription(task);
        }
        try {
            method.invoke(methods, values);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
    }

    private static Subscription subscription(RunningTask task) {
        return task.task()
                .subscriber()
                .flatMap(task.leat().subscriptions()::find)
                .orElseThrow(() -> new IllegalStateException("the subscription of task " + task.id() + " is gone"));
    }
}
