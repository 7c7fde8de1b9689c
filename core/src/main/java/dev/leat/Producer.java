package dev.leat;

import java.util.List;
import java.util.function.Consumer;

/** Puts tasks: a {@link Leat}, or one that works inside the caller's transaction. */
public interface Producer {
    /** Puts all tasks or none; the results are in the order of the tasks. */
    List<PutResult> putAll(List<NewTask> tasks);

    /** Turns a value into a payload: text and bytes as they are, other objects by a {@link Codec}. */
    Payload encode(Object value);

    /** Describes tasks that wait for each other, and the group they are put as; {@link Workflow#start()} puts them. */
    Workflow workflow(String name);

    default PutResult put(NewTask task) {
        return putAll(List.of(task)).get(0);
    }

    /**
     * Puts a task unless one that does the same is done or still to be done, and answers which of them there is now: the result tells whether
     * it was made. Of any number of callers at the same moment, in all processes, one makes it. A task that runs at the moment, has failed or
     * was put aside does not count; {@link NewTask.Builder#unlessEquivalent(java.util.Set)} says otherwise.
     *
     * <pre>{@code leat.putUnlessEquivalent(NewTask.to("invoices").externalKey("order 7").payload(order).build()) }</pre>
     */
    default PutResult putUnlessEquivalent(NewTask task) {
        return put(task.toBuilder().unlessEquivalent().build());
    }

    /**
     * Puts a task unless a live one has the address, and answers which of them there is now: the result tells whether it was made. Of any
     * number of callers at the same moment, in all processes, one makes it; all of them can wait for it with {@link Outcomes#await}.
     *
     * <pre>{@code leat.putAddressed("pages", "invoice-7", new Page(7)).id() }</pre>
     */
    default PutResult putAddressed(String queue, String address, Object payload) {
        return put(NewTask.to(queue).address(address).payload(encode(payload)).build());
    }

    /**
     * Publishes: every active subscription of the topic gets a task of its own, in one step, as soon as a worker of the topic's queue, which
     * has the topic's name, takes the publication. Answers its id.
     */
    default long publish(String topic, Object payload) {
        return publish(topic, payload, task -> {});
    }

    /**
     * Publishes something with more than a payload, such as a tenant, which subscriptions may be limited to.
     *
     * <pre>{@code leat.publish("orders", order, task -> task.tenant("acme")) }</pre>
     */
    default long publish(String topic, Object payload, Consumer<NewTask.Builder> more) {
        return put(topic, payload, task -> {
            task.publication();
            more.accept(task);
        });
    }

    /** Puts a plain task and answers its id. */
    default long put(String queue, Object payload) {
        return put(NewTask.to(queue).payload(encode(payload)).build()).id();
    }

    /**
     * Puts a task with more than a payload and answers its id.
     *
     * <pre>{@code leat.put("emails", email, task -> task.delay(Duration.ofMinutes(5)).key("ada")) }</pre>
     */
    default long put(String queue, Object payload, Consumer<NewTask.Builder> more) {
        NewTask.Builder task = NewTask.to(queue).payload(encode(payload));
        more.accept(task);
        return put(task.build()).id();
    }
}
