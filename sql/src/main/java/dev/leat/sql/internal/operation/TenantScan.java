package dev.leat.sql.internal.operation;

import dev.leat.TakeRequest;
import dev.leat.queue.TakeOrder;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.row.TaskRowMapper;
import dev.leat.sql.internal.work.UnitOfWork;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the ready rows of tenants in turn: of one priority, first the rows of the tenant with the fewest running tasks. Reads as many tenants as
 * have running tasks, plus the wanted number of tasks: among these are enough idle tenants. So the cost does not grow with the number of tenants
 * or of their tasks.
 */
final class TenantScan extends ReadyScan {
    /** The number of rows without tenant hash that one take fills. */
    private static final int MAX_STRAYS = 1_000;

    private final TenantTurns turns;
    private final int limit;
    private final Map<String, Integer> running = new HashMap<>();

    TenantScan(UnitOfWork unit, QueueRow queue, TakeRequest request, TenantTurns turns) {
        super(unit, queue, request);
        this.turns = turns;
        this.limit = queue.options().tenantLimit();
    }

    @Override
    void run(int count, Taker taker) {
        unit.tx.list("running-by-tenant", row -> running.put(hash(row.getString(1)), row.getInt(2)), queue.id());
        int left = count;
        OptionalInt priority = anyPriorityAfter(Long.MIN_VALUE);
        while (priority.isPresent() && left > 0) {
            hashStrays(priority.getAsInt());
            left -= takeFrom(priority.getAsInt(), left, taker);
            priority = anyPriorityAfter(priority.getAsInt());
        }
    }

    private static String hash(@Nullable String tenant) {
        return tenant == null ? QueueRow.NO_TENANT : QueueRow.tenantHash(tenant);
    }

    /**
     * Fills the tenant hash of rows that came by a plain INSERT, or were put before the queue took tenants in turn and committed after. These rows
     * have places of their own, so that the statement costs nothing where there are none.
     */
    private void hashStrays(int priority) {
        Tx.Batch hashes = unit.tx.batch("set-take-keys");
        for (TaskRow stray : unit.tx.list("ready-without-tenant", unit.rows::live, with(priority, MAX_STRAYS))) {
            hashes.add(stray.place(), TaskRowMapper.orNull(stray.random), stray.takeType, stray.spread, stray.id);
        }
        hashes.run();
    }

    /** Goes through the tenants once, beginning after the tenant that was taken from last. */
    private int takeFrom(int priority, int count, Taker taker) {
        Set<String> seen = new HashSet<>();
        String from = turns.last(queue, priority, request);
        boolean isFromStart = false;
        int taken = 0;
        while (taken < count) {
            int enough = count - taken + running.size();
            Set<String> tenants = new LinkedHashSet<>(spreadsAfter(from, priority, enough, running.keySet()));
            if (!isFromStart && idle(tenants) < count - taken) {
                isFromStart = true;
                tenants.addAll(spreadsAfter(QueueRow.BEFORE_TENANTS, priority, enough, running.keySet()));
            }
            for (String tenant : tenants) {
                from = tenant;
            }
            tenants.removeIf(tenant -> !seen.add(tenant));
            if (tenants.isEmpty()) {
                return taken;
            }
            taken += takeFrom(tenants, priority, count - taken, taker);
        }
        return taken;
    }

    private long idle(Set<String> tenants) {
        return tenants.stream().filter(tenant -> !running.containsKey(tenant)).count();
    }

    private int takeFrom(Set<String> tenants, int priority, int count, Taker taker) {
        int taken = 0;
        Map<String, Integer> shares = shares(tenants, count);
        while (!shares.isEmpty()) {
            for (Map.Entry<String, Integer> share : shares.entrySet()) {
                String tenant = share.getKey();
                turns.had(queue, priority, request, tenant);
                List<TaskRow> rows = rowsOf(priority, tenant, share.getValue());
                int before = taken;
                for (TaskRow row : rows) {
                    taken += taker.take(row) ? 1 : 0;
                }
                running.merge(tenant, taken - before, Integer::sum);
                // If nothing was written, the same rows would be read again. A tenant with fewer rows than its share
                // has no more.
                if (!taker.wrote() || rows.size() < share.getValue()) {
                    tenants.remove(tenant);
                }
            }
            shares = shares(tenants, count - taken);
        }
        return taken;
    }

    /** The number of tasks for each tenant: given one at a time to the tenant with the fewest. */
    private Map<String, Integer> shares(Set<String> tenants, int count) {
        record Claim(String tenant, int running, int position) {}
        PriorityQueue<Claim> claims =
                new PriorityQueue<>(Comparator.comparingInt(Claim::running).thenComparingInt(Claim::position));
        int position = 0;
        for (String tenant : tenants) {
            claims.add(new Claim(tenant, running.getOrDefault(tenant, 0), position++));
        }
        Map<String, Integer> shares = new LinkedHashMap<>();
        for (int given = 0; given < count && !claims.isEmpty(); ) {
            Claim first = claims.remove();
            if (limit == 0 || first.running < limit || first.tenant.equals(QueueRow.NO_TENANT)) {
                shares.merge(first.tenant, 1, Integer::sum);
                claims.add(new Claim(first.tenant, first.running + 1, first.position));
                given++;
            }
        }
        return shares;
    }

    private List<TaskRow> rowsOf(int priority, String tenant, int count) {
        boolean newest = request.order() == TakeOrder.Simple.NEWEST;
        String statement = newest ? "take-newest-of-spread" : "take-oldest-of-spread";
        return best(rows(statement, priority, tenant, count), newest ? BY_PLACE.reversed() : BY_PLACE, count);
    }
}
