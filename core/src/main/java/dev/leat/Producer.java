package dev.leat;

import java.util.List;
import java.util.function.Consumer;

/** Puts tasks: a {@link Leat}, or a producer inside a caller's transaction. */
public interface Producer {
    /** Puts all tasks or none; the results are in the order of the tasks. */
    List<PutResult> putAll(List<NewTask> tasks);

    /** Writes a value as a payload: text and bytes as they are, other objects with a {@link Codec}. */
    Payload encode(Object value);

    /** Describes tasks that wait for each other; {@link Workflow#start()} puts them as one group. */
    Workflow workflow(String name);

    default PutResult put(NewTask task) {
        return putAll(List.of(task)).get(0);
    }

    /**
     * Puts a task unless an equivalent task is DONE, READY, WAITING or SCHEDULED, and returns the id of the task that exists now. Of all
     * callers at the same moment, in all processes, exactly one makes the task. Use {@link NewTask.Builder#unlessEquivalent(java.util.Set)}
     * for other states.
     *
     * <pre>{@code leat.putUnlessEquivalent(NewTask.to("invoices").externalKey("order 7").payload(order).build()) }</pre>
     */
    default PutResult putUnlessEquivalent(NewTask task) {
        return put(task.toBuilder().unlessEquivalent().build());
    }

    /**
     * Puts a task unless a live task has the address, and returns the id of the task that exists now. Of all callers at the same moment, in all
     * processes, exactly one makes the task; all of them can wait for it with {@link Outcomes#await}.
     *
     * <pre>{@code leat.putAddressed("pages", "invoice-7", new Page(7)).id() }</pre>
     */
    default PutResult putAddressed(String queue, String address, Object payload) {
        return put(NewTask.to(queue).address(address).payload(encode(payload)).build());
    }

    /**
     * Puts a publication and returns its id. A worker of the queue with the topic's name takes the publication, and its ack puts one copy for
     * each active subscription of the topic.
     */
    default long publish(String topic, Object payload) {
        return publish(topic, payload, task -> {});
    }

    /**
     * Puts a publication with more than a payload, such as a tenant, and returns its id. A subscription can be limited to a tenant.
     *
     * <pre>{@code leat.publish("orders", order, task -> task.tenant("acme")) }</pre>
     */
    default long publish(String topic, Object payload, Consumer<NewTask.Builder> more) {
        return put(topic, payload, task -> {
            task.publication();
            more.accept(task);
        });
    }

    /** Puts a task with this payload and returns its id. */
    default long put(String queue, Object payload) {
        return put(NewTask.to(queue).payload(encode(payload)).build()).id();
    }

    /**
     * Puts a task with more than a payload and returns its id.
     *
     * <pre>{@code leat.put("emails", email, task -> task.delay(Duration.ofMinutes(5)).key("ada")) }</pre>
     */
    default long put(String queue, Object payload, Consumer<NewTask.Builder> more) {
        NewTask.Builder task = NewTask.to(queue).payload(encode(payload));
        more.accept(task);
        return put(task.build()).id();
    }
}
