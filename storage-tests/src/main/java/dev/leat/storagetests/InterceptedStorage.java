package dev.leat.storagetests;

import dev.leat.storage.GroupStorage;
import dev.leat.storage.QueueStorage;
import dev.leat.storage.ScheduleStorage;
import dev.leat.storage.SessionStorage;
import dev.leat.storage.Storage;
import dev.leat.storage.SubscriptionStorage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A storage whose calls, and the calls of its parts, go through an interceptor. */
public final class InterceptedStorage {
    private static final Map<String, Class<?>> PARTS = Map.of(
            "queues", QueueStorage.class,
            "sessions", SessionStorage.class,
            "groups", GroupStorage.class,
            "subscriptions", SubscriptionStorage.class,
            "schedules", ScheduleStorage.class);

    /** Decides what becomes of a call. */
    public interface Interceptor {
        /**
         * @param name the method, such as {@code take} or {@code sessions.heartbeat}
         * @param arguments what the call was given; a change reaches the storage
         * @param real makes the call and returns its answer
         */
        @Nullable
        Object call(String name, Object[] arguments, Call real) throws Exception;
    }

    /** A call of the storage. */
    public interface Call {
        @Nullable
        Object make() throws Exception;
    }

    private InterceptedStorage() {}

    public static Storage of(Storage real, Interceptor interceptor) {
        return (Storage) Proxy.newProxyInstance(
                Storage.class.getClassLoader(), new Class<?>[] {Storage.class}, (proxy, method, arguments) -> {
                    String name = method.getName();
                    Class<?> part = PARTS.get(name);
                    return part == null
                            ? intercepted(interceptor, name, real, method, arguments)
                            : part(interceptor, name, part, method.invoke(real));
                });
    }

    private static Object part(Interceptor interceptor, String part, Class<?> type, Object real) {
        return Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) ->
                        intercepted(interceptor, part + "." + method.getName(), real, method, arguments));
    }

    private static @Nullable Object intercepted(
            Interceptor interceptor, String name, Object real, Method method, Object @Nullable [] arguments)
            throws Exception {
        return interceptor.call(
                name, arguments == null ? new Object[0] : arguments, () -> make(real, method, arguments));
    }

    private static @Nullable Object make(Object real, Method method, Object @Nullable [] arguments) throws Exception {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw (Exception) e.getCause();
        }
    }
}
