package dev.leat.testkit.contract;

import dev.leat.StorageException;
import dev.leat.storage.Storage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;

/** Stands between a Leat and a real storage and breaks the line when told to. */
final class Faults {
    /** What the line does to a call. */
    enum Line {
        WORKS,
        /** The call does not reach the storage. */
        DOWN,
        /** The call reaches the storage, the answer does not come back. */
        LOSES_ANSWERS
    }

    private static final Set<String> LOCAL = Set.of("name", "capabilities", "signal", "lock");

    private volatile Line line = Line.WORKS;
    private volatile String only = "";

    void set(Line now) {
        line = now;
        only = "";
    }

    /** Breaks the line for one method of {@link Storage} alone. */
    void set(Line now, String method) {
        only = method;
        line = now;
    }

    Storage between(Storage real) {
        return (Storage) Proxy.newProxyInstance(
                Storage.class.getClassLoader(), new Class<?>[] {Storage.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        return null; // the real one belongs to whoever opened it
                    }
                    boolean affected =
                            !LOCAL.contains(method.getName()) && (only.isEmpty() || only.equals(method.getName()));
                    if (affected && line == Line.DOWN) {
                        throw new StorageException("the line is down");
                    }
                    Object answer;
                    try {
                        answer = method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (affected && line == Line.LOSES_ANSWERS) {
                        throw new StorageException("the answer was lost");
                    }
                    return answer;
                });
    }
}
