package dev.leat.sql.internal;

import dev.leat.storage.Hashes;
import dev.leat.NewTask;
import dev.leat.QueueInfo;
import dev.leat.QueueOptions;
import dev.leat.TakeOrder;
import dev.leat.TakeRequest;
import dev.leat.storage.Undeclared;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A queue as one transaction sees it.
 *
 * @param revision changes with every change of the row
 */
record QueueRow(long id, String name, QueueOptions options, boolean paused, QueueInfo.SetBy setBy, long revision) {
    /** Stands for the value of a task that lacks the tag which takes spread over; it sorts before all others. */
    static final String NO_TAG = "";
    /** Whose the tasks without a tenant are. Marks of tenants are longer, and none sorts before it. */
    static final String NO_TENANT = "0";

    static final String BEFORE_TENANTS = "";
    /** As long as the column is in every database; more than enough to tell tenants apart. */
    private static final int TENANT_MARK_LENGTH = 20;

    QueueInfo info() {
        return new QueueInfo(name, options, paused, setBy);
    }

    void check(TakeRequest request) {
        Undeclared.check(name, options, request);
    }

    /** Whether the request reads the queue from its first task on, leaving none out. */
    boolean takesInOrder(TakeRequest request) {
        return request.order() == TakeOrder.Simple.OLDEST
                && request.types().isEmpty()
                && options.placeBy() == QueueOptions.PlaceBy.ID
                && !takesTenantsInTurn();
    }

    /** Whether a put need neither count the tasks nor fill what takes order and filter by. */
    boolean takesPlainPuts() {
        return options.capacity() == 0
                && options.placeBy() == QueueOptions.PlaceBy.ID
                && options.typeFilter() == QueueOptions.TypeFilter.OFF
                && !takesAtRandom()
                && !takesTenantsInTurn()
                && spreadTag(options).isEmpty();
    }

    boolean takesTenantsInTurn() {
        return options.tenants() == QueueOptions.Tenants.IN_TURN;
    }

    /** Whether takes or puts may wait for a task to end. */
    boolean isLimited() {
        return options.capacity() > 0 || options.tenantLimit() > 0;
    }

    // What takes order and filter by. Only what the options ask for is filled, so that other queues pay for no index.

    /** Negative where the row has the mark of its tenant, in the same order: see TenantScan. */
    long place(long due) {
        long place = options.placeBy() == QueueOptions.PlaceBy.DUE_TIME ? due : 0;
        return takesTenantsInTurn() ? place + Long.MIN_VALUE : place;
    }

    boolean takesAtRandom() {
        return options.takeOrders().contains(TakeOrder.Simple.RANDOM);
    }

    @Nullable
    String takeType(NewTask task) {
        return options.typeFilter() == QueueOptions.TypeFilter.ON ? task.type().orElse(null) : null;
    }

    @Nullable
    String spread(NewTask task) {
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

    static String tenantMark(String tenant) {
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
