package dev.leat.tenant.internal;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A connection that reports its close, once. */
public final class LentConnection implements InvocationHandler {
    private final Connection connection;
    private final String tenant;
    private final Runnable onClose;
    private final AtomicBoolean closed = new AtomicBoolean();

    private LentConnection(Connection connection, String tenant, Runnable onClose) {
        this.connection = connection;
        this.tenant = tenant;
        this.onClose = onClose;
    }

    public static Connection of(Connection connection, String tenant, Runnable onClose) {
        return (Connection) Proxy.newProxyInstance(
                LentConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new LentConnection(connection, tenant, onClose));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        String name = method.getName();
        if (method.getDeclaringClass() == Object.class) {
            return ofObject(proxy, name, arguments);
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        } finally {
            boolean ends = name.equals("close") || name.equals("abort");
            if (ends && closed.compareAndSet(false, true)) {
                onClose.run();
            }
        }
    }

    private Object ofObject(Object proxy, String name, @Nullable Object @Nullable [] arguments) {
        return switch (name) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "a connection to the database of tenant " + tenant;
        };
    }
}
