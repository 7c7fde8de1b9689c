package dev.leat.server.remote;

import dev.leat.Leat;
import dev.leat.server.LeatServer;
import dev.leat.server.ServerOptions;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.storage.Sweep;
import dev.leat.storagetests.StorageFixture;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Storages behind a server, for the contract; what is behind the server comes from another fixture. */
final class RemoteFixture implements StorageFixture {
    private final StorageFixture behind;
    /** In the order to close them in. */
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    private Storage storage;

    RemoteFixture(StorageFixture behind) {
        this.behind = behind;
    }

    private Storage serve(Storage real) {
        Leat leat = Leat.builder("").storage(withoutOwnSweeps(real)).open();
        opened.addFirst(leat);
        LeatServer server =
                LeatServer.start(leat, ServerOptions.builder().port(0).build());
        opened.addFirst(server);
        Storage remote = Storages.open("http://127.0.0.1:" + server.port(), StorageSettings.standard());
        opened.addFirst(remote);
        return remote;
    }

    /**
     * The contract asks what a sweep did, so nobody else may sweep; and the storage belongs to the other fixture, which closes
     * it.
     */
    private static Storage withoutOwnSweeps(Storage real) {
        return (Storage) Proxy.newProxyInstance(
                Storage.class.getClassLoader(), new Class<?>[] {Storage.class}, (proxy, method, arguments) -> {
                    boolean isOwnSweep = method.getName().equals("sweep")
                            && Thread.currentThread().getName().equals("leat-sweeper");
                    if (isOwnSweep) {
                        return new Sweep.Result(List.of(), Optional.empty(), 0);
                    }
                    if (method.getName().equals("close")) {
                        return null;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public Storage storage() {
        if (storage == null) {
            storage = serve(behind.storage());
        }
        return storage;
    }

    @Override
    public void advance(Duration by) {
        behind.advance(by);
    }

    @Override
    public Storage inRealTime() {
        Storage real = behind.inRealTime();
        opened.addFirst(real);
        return serve(real);
    }

    @Override
    public int enough(int many) {
        return behind.enough(many / 2);
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            try {
                opened.removeFirst().close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        behind.close();
    }
}
