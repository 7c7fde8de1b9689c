package dev.leat.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.leat.error.LeatException;
import dev.leat.storage.Lock;
import dev.leat.wire.Cbor;
import dev.leat.wire.Op;
import dev.leat.wire.WireValues;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Locks that the server holds for this client while the connection is open. */
final class RemoteLock implements Lock {
    private static final Logger log = LoggerFactory.getLogger(RemoteLock.class);

    private final Link link;

    RemoteLock(Link link) {
        this.link = link;
    }

    @Override
    public Optional<Held> tryAcquire(String name, Duration lease) {
        JsonNode lock = link.call(Op.ACQUIRE, Cbor.map().put("name", name).set("lease", WireValues.of(lease)));
        return lock.isNull() ? Optional.empty() : Optional.of(new RemoteHeld(link, lock.longValue()));
    }

    /** A lock of one connection; other connections do not know its number. */
    private record RemoteHeld(Link link, long number) implements Held {
        @Override
        public boolean renew() {
            try {
                return link.call(Op.RENEW, Cbor.map().put("lock", number)).booleanValue();
            } catch (AnswerLostException e) {
                return false; // the lock has ended with its connection
            }
        }

        @Override
        public void close() {
            try {
                link.call(Op.UNLOCK, Cbor.map().put("lock", number));
            } catch (LeatException e) {
                log.debug("A lock ends with its connection", e);
            }
        }
    }
}
