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
 * A queue as one transaction sees it.
 *
 * @param revision changes with every change of the row
 */
public record QueueRow(
        long id, String name, QueueOptions options, boolean paused, QueueInfo.SetBy setBy, long revision) {
    /** Stands for the value of a task that lacks the tag which takes spread over; it sorts before all others. */
    public static final String NO_TAG = "";
    /** Whose the tasks without a tenant are. Marks of tenants are longer, and none sorts before it. */
    public static final String NO_TENANT = "0";

    public static final String BEFORE_TENANTS = "";
    /** As long as the column is in every database; more than enough to tell tenants apart. */
    private static final int TENANT_MARK_LENGTH = 20;

    public QueueInfo info() {
        return new QueueInfo(name, options, paused, setBy);
    }

    public void check(TakeRequest request) {
        Undeclared.check(name, options, request);
    }

    /** Whether the request reads the queue from its first task on, leaving none out. */
    public boolean takesInOrder(TakeRequest request) {
        return request.order() == TakeOrder.Simple.OLDEST
                && request.types().isEmpty()
                && options.placeBy() == QueueOptions.PlaceBy.ID
                && !takesTenantsInTurn();
    }

    public boolean takesTenantsInTurn() {
        return options.tenants() == QueueOptions.Tenants.IN_TURN;
    }

    /** Whether takes or puts may wait for a task to end. */
    public boolean isLimited() {
        return options.capacity() > 0 || options.tenantLimit() > 0;
    }

    // What takes order and filter by. Only what the options ask for is filled, so that other queues pay for no index.

    /** Negative where the row has the mark of its tenant, in the same order: see TenantScan. */
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
            return task.tenant().map(QueueRow::tenantMark).orElse(NO_TENANT);
        }
        Optional<String> tag = spreadTag(options);
        if (tag.isEmpty()) {
            return null;
        }
        Long value = task.tags().get(tag.get());
        return value == null ? NO_TAG : value.toString();
    }

    public static String tenantMark(String tenant) {
        return Hashes.sha256(tenant.getBytes(StandardCharsets.UTF_8)).substring(0, TENANT_MARK_LENGTH);
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
