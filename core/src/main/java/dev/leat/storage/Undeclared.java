package dev.leat.storage;

import dev.leat.TakeRequest;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.TakeOrder;
import java.util.Locale;

/** Refuses takes with an order or filter that the queue does not declare: each order and filter needs an index. */
public final class Undeclared {
    private Undeclared() {}

    public static void check(String queue, QueueOptions options, TakeRequest request) {
        checkOrder(queue, options, request.order());
        if (request.types().isPresent()) {
            checkTypes(queue, options);
        }
    }

    public static void checkOrder(String queue, QueueOptions options, TakeOrder order) {
        if (!options.takeOrders().contains(order)) {
            String name = order instanceof TakeOrder.Simple simple
                    ? simple.name().toLowerCase(Locale.ROOT)
                    : order.toString();
            throw new InvalidRequestException(
                    "order", "'" + name + "' is not declared by queue '" + queue + "'", "; add it with takeOrder(…)");
        }
    }

    public static void checkTypes(String queue, QueueOptions options) {
        if (options.typeFilter() == QueueOptions.TypeFilter.OFF) {
            throw new InvalidRequestException(
                    "types", "are not filtered by queue '" + queue + "'", "; declare it with typeFilter(ON)");
        }
    }
}
