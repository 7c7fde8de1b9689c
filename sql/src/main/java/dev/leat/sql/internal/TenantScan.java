package dev.leat.sql.internal;

import dev.leat.TakeOrder;
import dev.leat.TakeRequest;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Brings the ready rows of tenants in turn: of one priority, first those of the tenant with the fewest running tasks. Reads as many
 * tenants as there are running ones and wanted tasks, since among them are enough of those that have nothing running, however many
 * others there are and however long their lines.
 */
final class TenantScan extends ReadyScan {
    /** Of tasks without the mark of their tenant so many get it in one take. */
    private static final int MOST_STRAYS = 1_000;

    private final TenantTurns turns;
    private final Map<String, Integer> running = new HashMap<>();
    private final int limit;

    TenantScan(Turn turn, QueueRow queue, TakeRequest request, TenantTurns turns) {
        super(turn, queue, request);
        this.turns = turns;
        this.limit = queue.options().tenantLimit();
        if (limit > 0) {
            // Two takes at once would both find room for the last one.
            turn.tx.first("lock-queue", row -> 1, queue.id());
        }
        turn.tx.list("running-by-spread", row -> running.put(row.getString(1), row.getInt(2)), queue.id());
    }

    @Override
    void run(int count, Taker taker) {
        int left = count;
        OptionalInt priority = priorityAfter(Long.MIN_VALUE);
        while (priority.isPresent() && left > 0) {
            markStrays(priority.getAsInt());
            left -= takeFrom(priority.getAsInt(), left, taker);
            priority = priorityAfter(priority.getAsInt());
        }
    }

    /**
     * Rows that came by a plain INSERT, or were put before tenants took turns and committed after, have no mark. They are known by their
     * place, so that looking for them costs nothing where there are none.
     */
    private void markStrays(int priority) {
        Tx.Batch marks = turn.tx.batch("set-take-keys");
        for (TaskRow stray : turn.tx.list("strays", turn.rows::live, with(priority, MOST_STRAYS))) {
            marks.add(stray.place(), Rows.orNull(stray.random), stray.takeType, stray.spread, stray.id);
        }
        marks.run();
    }

    private int takeFrom(int priority, int count, Taker taker) {
        Set<String> tenants = tenantsInTurn(priority, count);
        int taken = 0;
        while (taken < count && !tenants.isEmpty()) {
            Map<String, Integer> shares = shares(tenants, count - taken);
            tenants.retainAll(shares.keySet());
            for (Map.Entry<String, Integer> share : shares.entrySet()) {
                String tenant = share.getKey();
                List<TaskRow> rows = rowsOf(priority, tenant, share.getValue());
                int before = taken;
                for (TaskRow row : rows) {
                    taken += taker.take(row) ? 1 : 0;
                }
                running.merge(tenant, taken - before, Integer::sum);
                turns.had(queue, tenant);
                // Written, they are not read again; a tenant with fewer than its share has no more.
                if (!taker.wrote() || rows.size() < share.getValue()) {
                    tenants.remove(tenant);
                }
            }
        }
        return taken;
    }

    /** Beginning after the one whose turn it was last. */
    private Set<String> tenantsInTurn(int priority, int count) {
        int enough = count + running.size();
        String last = turns.last(queue);
        Set<String> tenants = new LinkedHashSet<>(spreadsAfter(last, priority, enough));
        if (tenants.size() < enough) {
            tenants.addAll(spreadsAfter(QueueRow.BEFORE_TENANTS, priority, enough - tenants.size()));
        }
        return tenants;
    }

    /** How many each may have: one at a time to whoever has the fewest then. */
    private Map<String, Integer> shares(Set<String> tenants, int count) {
        record Claim(String tenant, int running, int turn) {}
        PriorityQueue<Claim> claims =
                new PriorityQueue<>(Comparator.comparingInt(Claim::running).thenComparingInt(Claim::turn));
        int turn = 0;
        for (String tenant : tenants) {
            claims.add(new Claim(tenant, running.getOrDefault(tenant, 0), turn++));
        }
        Map<String, Integer> shares = new LinkedHashMap<>();
        for (int given = 0; given < count && !claims.isEmpty(); ) {
            Claim first = claims.remove();
            if (limit == 0 || first.running < limit || first.tenant.equals(QueueRow.NO_TENANT)) {
                shares.merge(first.tenant, 1, Integer::sum);
                claims.add(new Claim(first.tenant, first.running + 1, first.turn));
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
