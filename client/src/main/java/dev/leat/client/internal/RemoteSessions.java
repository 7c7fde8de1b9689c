package dev.leat.client.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Lease;
import dev.leat.SessionSpec;
import dev.leat.TaskEvent;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.SessionStorage;
import dev.leat.wire.Cbor;
import dev.leat.wire.Op;
import dev.leat.wire.SessionMessages;
import dev.leat.wire.WireValues;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The sessions of a storage behind a server. */
final class RemoteSessions implements SessionStorage {
    private final Link link;
    private final Leases leases;
    private final Set<String> open = ConcurrentHashMap.newKeySet();

    RemoteSessions(Link link, Leases leases) {
        this.link = link;
        this.leases = leases;
    }

    @Override
    public String open(SessionSpec spec) {
        ObjectNode map = Cbor.map();
        SessionMessages.put(map, spec);
        String session = link.call(Op.OPEN_SESSION, map).textValue();
        open.add(session);
        return session;
    }

    @Override
    public HeartbeatReply heartbeat(String session, Map<String, Integer> waiting) {
        ObjectNode map = Messages.session(session).set("waiting", SessionMessages.of(waiting));
        HeartbeatReply reply = SessionMessages.heartbeatReply(link.call(Op.HEARTBEAT, map));
        if (!reply.alive()) {
            forget(session);
        }
        return reply;
    }

    @Override
    public List<Lease> leases(String session) {
        return WireValues.list("leases", link.call(Op.LEASES, Messages.session(session)), WireValues::lease);
    }

    @Override
    public void disconnect(String session) {
        link.call(Op.DISCONNECT, Messages.session(session));
    }

    @Override
    public List<TaskEvent> close(String session) {
        try {
            return Messages.events(link.call(Op.CLOSE_SESSION, Messages.session(session)));
        } finally {
            forget(session);
        }
    }

    private void forget(String session) {
        open.remove(session);
        leases.ended(session);
    }

    /** The sessions that this client has opened and not closed. */
    Set<String> open() {
        return open;
    }
}
