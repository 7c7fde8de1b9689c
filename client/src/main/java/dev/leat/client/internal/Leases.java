package dev.leat.client.internal;

import dev.leat.Lease;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakenTask;
import dev.leat.error.ClosedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.error.SessionEndedException;
import dev.leat.error.StorageException;
import dev.leat.wire.Cbor;
import dev.leat.wire.Op;
import dev.leat.wire.SettleMessages;
import dev.leat.wire.WireValues;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leases of this client's sessions. If the answer of a take is lost, heartbeats would hold its tasks without a worker. The client then asks
 * the server for the leases of the session, and gives back the leases that it does not know.
 */
final class Leases {
    private static final Logger log = LoggerFactory.getLogger(Leases.class);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Takes hold the read lock, so no take is on its way while the write lock is held. */
    private static final class Held {
        final ReadWriteLock takes = new ReentrantReadWriteLock(true);
        final Set<Lease> known = ConcurrentHashMap.newKeySet();
    }

    private final Link link;
    private final Map<String, Held> bySession = new ConcurrentHashMap<>();

    Leases(Link link) {
        this.link = link;
    }

    /** Takes, and keeps the leases of the answer. */
    List<TakenTask> take(String session, Supplier<List<TakenTask>> take) {
        Held held = bySession.computeIfAbsent(session, unused -> new Held());
        held.takes.readLock().lock();
        try {
            List<TakenTask> taken = take.get();
            taken.forEach(task -> held.known.add(task.lease()));
            return taken;
        } catch (AnswerLostException | InvalidRequestException e) {
            link.inBackground(() -> giveBackUnknown(session, held));
            throw e;
        } catch (SessionEndedException e) {
            ended(session);
            throw e;
        } finally {
            held.takes.readLock().unlock();
        }
    }

    void settled(List<? extends Settle> settles, List<SettleResult> results) {
        for (Held held : bySession.values()) {
            for (int i = 0; i < results.size(); i++) {
                if (results.get(i).status() != SettleResult.Status.PENDING) {
                    held.known.remove(settles.get(i).lease());
                }
            }
        }
    }

    void ended(String session) {
        bySession.remove(session);
    }

    /** Tries until the server has answered, however long the server is unreachable. */
    private void giveBackUnknown(String session, Held held) {
        while (bySession.containsKey(session)) {
            held.takes.writeLock().lock();
            try {
                List<Lease> leases = WireValues.list(
                        "leases", link.call(Op.LEASES, Cbor.map().put("session", session)), WireValues::lease);
                List<Settle> unknown = leases.stream()
                        .filter(lease -> !held.known.contains(lease))
                        .<Settle>map(Settle::giveBack)
                        .toList();
                if (!unknown.isEmpty()) {
                    log.info("Giving back {} tasks of a take whose answer was lost", unknown.size());
                    link.call(Op.SETTLE, Cbor.map().set("settles", WireValues.list(unknown, SettleMessages::of)));
                }
                return;
            } catch (ClosedException e) {
                return;
            } catch (StorageException e) {
                log.debug("Asking the server again for the leases of session {}", session, e);
            } catch (LeatException e) {
                log.warn("Could not read the leases of session {}: {}", session, e.getMessage());
                return;
            } finally {
                held.takes.writeLock().unlock();
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
