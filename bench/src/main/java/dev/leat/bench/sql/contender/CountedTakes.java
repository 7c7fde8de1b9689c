package dev.leat.bench.sql.contender;

import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.LongAdder;

/** A storage that counts how often it is asked for tasks. */
final class CountedTakes {
    private CountedTakes() {}

    static Storage of(String url, LongAdder takes) {
        Storage storage = Storages.open(url, StorageSettings.standard());
        return (Storage) Proxy.newProxyInstance(
                Storage.class.getClassLoader(), new Class<?>[] {Storage.class}, (proxy, method, args) -> {
                    if (method.getName().equals("take")) {
                        takes.increment();
                    }
                    try {
                        return method.invoke(storage, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                });
    }
}
