package dev.leat.client.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.json.QueueJson;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueStats;
import dev.leat.queue.TenantStats;
import dev.leat.storage.QueueStorage;
import dev.leat.wire.Cbor;
import dev.leat.wire.Op;
import dev.leat.wire.QueueMessages;
import dev.leat.wire.WireValues;
import java.util.List;
import java.util.Optional;

/** The queues of a storage behind a server. */
final class RemoteQueues implements QueueStorage {
    private final Link link;

    RemoteQueues(Link link) {
        this.link = link;
    }

    @Override
    public QueueInfo create(String queue, QueueOptions options) {
        ObjectNode map = Messages.queue(queue).set("options", QueueJson.of(options));
        return QueueMessages.info(link.call(Op.CREATE_QUEUE, map));
    }

    @Override
    public QueueInfo declare(String queue, QueueOptions options, QueueInfo.SetBy setBy) {
        ObjectNode map = Messages.queue(queue).set("options", QueueJson.of(options));
        return QueueMessages.info(link.call(Op.DECLARE_QUEUE, map.put("setBy", Messages.name(setBy))));
    }

    @Override
    public Optional<QueueInfo> find(String queue) {
        return Messages.optional(link.call(Op.QUEUE, Messages.queue(queue)), QueueMessages::info);
    }

    @Override
    public List<QueueInfo> list() {
        return WireValues.list("queues", link.call(Op.QUEUES, Cbor.map()), QueueMessages::info);
    }

    @Override
    public void pause(String queue) {
        link.call(Op.PAUSE, Messages.queue(queue));
    }

    @Override
    public void resume(String queue) {
        link.call(Op.RESUME, Messages.queue(queue));
    }

    @Override
    public void drop(String queue) {
        link.call(Op.DROP, Messages.queue(queue));
    }

    @Override
    public long truncate(String queue) {
        return link.call(Op.TRUNCATE, Messages.queue(queue)).longValue();
    }

    @Override
    public long releaseAll(String queue) {
        return link.call(Op.RELEASE_ALL, Messages.queue(queue)).longValue();
    }

    @Override
    public List<QueueStats> stats() {
        return WireValues.list("stats", link.call(Op.STATS, Cbor.map()), QueueMessages::stats);
    }

    @Override
    public QueueStats stats(String queue) {
        return QueueMessages.stats(link.call(Op.QUEUE_STATS, Messages.queue(queue)));
    }

    @Override
    public List<TenantStats> tenantStats(String queue) {
        return WireValues.list("stats", link.call(Op.TENANT_STATS, Messages.queue(queue)), QueueMessages::tenantStats);
    }
}
