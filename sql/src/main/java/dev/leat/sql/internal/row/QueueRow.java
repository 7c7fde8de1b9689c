package dev.leat.sql.internal.row;

import dev.leat.NewTask;
import dev.leat.TakeRequest;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.TakeOrder;
import dev.leat.storage.Hashes;
import dev.leat.storage.Undeclared;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A queue as one transaction reads it.
 *
 * @param revision changes with every change of the row
 */
public record QueueRow(
        long id, String name, QueueOptions options, boolean paused, QueueInfo.SetBy setBy, long revision) {
    /** The spread column of a task without the tag that takes spread over. Sorts before all values. */
    public static final String NO_TAG = "";
    /** The spread column of a task without a tenant. Tenant hashes are longer, and none sorts before it. */
    public static final String NO_TENANT = "0";

    public static final String BEFORE_TENANTS = "";
    /** The size of the column in all databases: 80 bits, enough to tell tenants apart. */
    private static final int TENANT_HASH_LENGTH = 20;

    public QueueInfo info() {
        return new QueueInfo(name, options, paused, setBy);
    }

    public void check(TakeRequest request) {
        Undeclared.check(name, options, request);
    }

    /** Whether the request takes tasks by (priority, id), without a filter. */
    public boolean takesInOrder(TakeRequest request) {
        return request.order() == TakeOrder.Simple.OLDEST
                && request.types().isEmpty()
                && options.placeBy() == QueueOptions.PlaceBy.ID
                && !takesTenantsInTurn();
    }

    public boolean takesTenantsInTurn() {
        return options.tenants() == QueueOptions.Tenants.IN_TURN;
    }

    /** Whether the end of a task can wake takes or puts, because the queue or its tenants have a limit. */
    public boolean isLimited() {
        return options.capacity() > 0 || options.tenantLimit() > 0;
    }

    // The columns that takes order and filter by. Only the columns that the options need are filled, so that other
    // queues pay for no index.

    /** Negative, in the same order, if the row has the hash of its tenant: {@code TenantScan} finds the other rows by this. */
    public long place(long due) {
        long place = options.placeBy() == QueueOptions.PlaceBy.DUE_TIME ? due : 0;
        return takesTenantsInTurn() ? place + Long.MIN_VALUE : place;
    }

    public boolean takesAtRandom() {
        return options.takeOrders().contains(TakeOrder.Simple.RANDOM);
    }

    @Nullable
    public String takeType(NewTask task) {
        return options.typeFilter() == QueueOptions.TypeFilter.ON ? task.type().orElse(null) : null;
    }

    @Nullable
    public String spread(NewTask task) {
        if (takesTenantsInTurn()) {
            return task.tenant().map(QueueRow::tenantHash).orElse(NO_TENANT);
        }
        Optional<String> tag = spreadTag(options);
        if (tag.isEmpty()) {
            return null;
        }
        Long value = task.tags().get(tag.get());
        return value == null ? NO_TAG : value.toString();
    }

    public static String tenantHash(String tenant) {
        return Hashes.sha256(tenant.getBytes(StandardCharsets.UTF_8)).substring(0, TENANT_HASH_LENGTH);
    }

    /** The tag whose values takes spread over. */
    static Optional<String> spreadTag(QueueOptions options) {
        for (TakeOrder order : options.takeOrders()) {
            if (order instanceof TakeOrder.PreferDistinct distinct) {
                return Optional.of(distinct.tag());
            }
        }
        return Optional.empty();
    }
}
