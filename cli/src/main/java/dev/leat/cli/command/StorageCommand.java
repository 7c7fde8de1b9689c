package dev.leat.cli.command;

import dev.leat.Leat;
import dev.leat.PurgeOptions;
import dev.leat.cli.console.Output;
import dev.leat.error.InvalidRequestException;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;

/** A command that works on a storage, which it opens and closes. */
public abstract class StorageCommand extends StorageUrlCommand {
    /** No task came in time, or the named task is no longer there. */
    public static final int NOTHING_THERE = 3;

    /** The {@link InvalidRequestException#field} of a wrong storage URL. */
    public static final String STORAGE_URL = "The URL of the storage";

    /** Does it and answers the exit code. */
    protected abstract int run(Leat leat, Output out) throws Exception;

    @Override
    protected final int run(String storageUrl, Output out) throws Exception {
        Leat.Builder builder = builder(storageUrl).name(sessionName());
        try (Leat leat = builder.storage(open(storageUrl)).open()) {
            return run(leat, out);
        }
    }

    /** Without a shutdown hook: commands that run for long have their own, which say how they ended. */
    public Leat.Builder builder(String url) {
        return Leat.builder(url).shutdownHook(false);
    }

    /** Whether a missing storage is created. Only commands that start something new create it. */
    public StorageSettings.IfMissing ifMissing() {
        return StorageSettings.IfMissing.REFUSE;
    }

    public Storage open(String url) {
        PurgeOptions purge = nsjEnvironment().map(NsjEnvironment::purge).orElse(PurgeOptions.standard());
        try {
            return Storages.open(url, StorageSettings.standard().purge(purge).ifMissing(ifMissing()));
        } catch (InvalidRequestException e) {
            throw new InvalidRequestException(STORAGE_URL, e.problem(), e);
        }
    }

    /** The name of the session, for people who look at leases. */
    protected String sessionName() {
        return "leat-cli";
    }
}
