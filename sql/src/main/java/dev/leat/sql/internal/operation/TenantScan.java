package dev.leat.sql.internal.operation;

import dev.leat.TakeRequest;
import dev.leat.queue.TakeOrder;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.Rows;
import dev.leat.sql.internal.row.TaskRow;
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
 * Brings the ready rows of tenants in turn: of one priority, first those of the tenant with the fewest running tasks. Reads as many
 * tenants as there are running ones and wanted tasks, since among them are enough of those that have nothing running, however many
 * others there are and however long their lines.
 */
final class TenantScan extends ReadyScan {
    /** Of tasks without the mark of their tenant so many get it in one take. */
    private static final int MOST_STRAYS = 1_000;

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
        unit.tx.list("running-by-tenant", row -> running.put(mark(row.getString(1)), row.getInt(2)), queue.id());
        int left = count;
        OptionalInt priority = anyPriorityAfter(Long.MIN_VALUE);
        while (priority.isPresent() && left > 0) {
            markStrays(priority.getAsInt());
            left -= takeFrom(priority.getAsInt(), left, taker);
            priority = anyPriorityAfter(priority.getAsInt());
        }
    }

    private static String mark(@Nullable String tenant) {
        return tenant == null ? QueueRow.NO_TENANT : QueueRow.tenantMark(tenant);
    }

    /**
     * Rows that came by a plain INSERT, or were put before tenants took turns and committed after, have no mark. They are known by their
     * place, so that looking for them costs nothing where there are none.
     */
    private void markStrays(int priority) {
        Tx.Batch watermarks = unit.tx.batch("set-take-keys");
        for (TaskRow stray : unit.tx.list("ready-without-tenant", unit.rows::live, with(priority, MOST_STRAYS))) {
            watermarks.add(stray.place(), Rows.orNull(stray.random), stray.takeType, stray.spread, stray.id);
        }
        watermarks.run();
    }

    /** Goes round the tenants once, beginning after the one whose turn it was last. */
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
                // Written, they are not read again; a tenant with fewer than its share has no more.
                if (!taker.wrote() || rows.size() < share.getValue()) {
                    tenants.remove(tenant);
                }
            }
            shares = shares(tenants, count - taken);
        }
        return taken;
    }

    /** How many each may have: one at a time to whoever has the fewest then. */
    private Map<String, Integer> shares(Set<String> tenants, int count) {
        record Claim(String tenant, int running, int unit) {}
        PriorityQueue<Claim> claims =
                new PriorityQueue<>(Comparator.comparingInt(Claim::running).thenComparingInt(Claim::unit));
        int unit = 0;
        for (String tenant : tenants) {
            claims.add(new Claim(tenant, running.getOrDefault(tenant, 0), unit++));
        }
        Map<String, Integer> shares = new LinkedHashMap<>();
        for (int given = 0; given < count && !claims.isEmpty(); ) {
            Claim first = claims.remove();
            if (limit == 0 || first.running < limit || first.tenant.equals(QueueRow.NO_TENANT)) {
                shares.merge(first.tenant, 1, Integer::sum);
                claims.add(new Claim(first.tenant, first.running + 1, first.unit));
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
