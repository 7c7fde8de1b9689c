package dev.leat.sql.internal.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connection that a transactional handler gets. It refuses calls that would end the transaction or change how the
 * transaction sees the tables of Leat. It borrows the real connection at the first call.
 */
public final class HandlerConnection implements InvocationHandler {
    private static final Set<String> ENDS = Set.of("commit", "setAutoCommit", "close", "abort");

    private final Source source;

    /** The real connection, in its transaction. */
    public interface Source {
        Connection get() throws SQLException;
    }

    private HandlerConnection(Source source) {
        this.source = source;
    }

    public static Connection of(Source source) {
        return (Connection) Proxy.newProxyInstance(
                HandlerConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new HandlerConnection(source));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        String name = method.getName();
        if (method.getDeclaringClass() == Object.class) {
            return ofObject(proxy, name, arguments);
        }
        boolean ends = ENDS.contains(name) || (name.equals("rollback") && arguments == null);
        if (ends) {
            throw new SQLException(
                    name + " is not for a handler to call: Leat commits and closes the connection after the"
                            + " handler has returned, and rolls back when it throws. Savepoints may be used.");
        }
        if (name.equals("setTransactionIsolation")) {
            throw new SQLException(
                    "a handler's transaction is at READ COMMITTED, because it ends with the settle of its task,"
                            + " which has to see what others have committed meanwhile");
        }
        try {
            return method.invoke(source.get(), arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private Object ofObject(Object proxy, String name, @Nullable Object @Nullable [] arguments) {
        return switch (name) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "the connection of a transactional handler";
        };
    }
}
