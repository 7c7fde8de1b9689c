package dev.leat.topic;

import dev.leat.NewTask;
import dev.leat.internal.Checks;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Gets one copy of each publication of a topic. Immutable; each method with a value returns a changed copy.
 *
 * <pre>{@code
 * leat.subscriptions().put(Subscription.to("orders", "billing").tenant("acme"));
 * }</pre>
 */
public final class Subscription {
    private final String id;
    private final String topic;
    // with(…) changes them in a copy before it is published
    private @Nullable String queue;
    private @Nullable String tenant;
    private @Nullable String businessGroup;
    private @Nullable Webhook webhook;
    private boolean active = true;
    private @Nullable String whyDisabled;
    private @Nullable Instant created;

    private Subscription(String id, String topic) {
        this.id = id;
        this.topic = topic;
    }

    /**
     * An active subscription to all publications of a topic.
     *
     * @param id a unique name; handlers are registered for it
     */
    public static Subscription to(String topic, String id) {
        return new Subscription(Checks.name("subscription", id), Checks.queueName(topic));
    }

    private Subscription copy() {
        Subscription copy = new Subscription(id, topic);
        copy.queue = queue;
        copy.tenant = tenant;
        copy.businessGroup = businessGroup;
        copy.webhook = webhook;
        copy.active = active;
        copy.whyDisabled = whyDisabled;
        copy.created = created;
        return copy;
    }

    /** Puts the copies into this queue instead of the topic's. */
    public Subscription queue(String queue) {
        Subscription changed = copy();
        changed.queue = Checks.queueName(queue);
        return changed;
    }

    /** Only publications for this tenant. */
    public Subscription tenant(String tenant) {
        Subscription changed = copy();
        changed.tenant = Checks.name("tenant", tenant);
        return changed;
    }

    /** Only publications for this business group. */
    public Subscription businessGroup(String businessGroup) {
        Subscription changed = copy();
        changed.businessGroup = Checks.name("businessGroup", businessGroup);
        return changed;
    }

    /** Sends the copies to a URL, by {@code leat webhooks} or a worker with the handler of the module {@code webhook}. */
    public Subscription webhook(Webhook webhook) {
        Subscription changed = copy();
        changed.webhook = webhook;
        return changed;
    }

    /** Stops the copies. */
    public Subscription disabled(String reason) {
        Subscription changed = copy();
        changed.active = false;
        changed.whyDisabled = reason.isBlank() ? null : reason;
        return changed;
    }

    public Subscription enabled() {
        Subscription changed = copy();
        changed.active = true;
        changed.whyDisabled = null;
        return changed;
    }

    /** For storages. */
    public Subscription created(Instant created) {
        Subscription changed = copy();
        changed.created = created;
        return changed;
    }

    public String id() {
        return id;
    }

    public String topic() {
        return topic;
    }

    /** The queue of its copies. */
    public String queue() {
        return queue == null ? topic : queue;
    }

    public Optional<String> tenant() {
        return Optional.ofNullable(tenant);
    }

    public Optional<String> businessGroup() {
        return Optional.ofNullable(businessGroup);
    }

    public Optional<Webhook> webhook() {
        return Optional.ofNullable(webhook);
    }

    public boolean isActive() {
        return active;
    }

    /** The reason for disabling it, if one was given. */
    public Optional<String> whyDisabled() {
        return Optional.ofNullable(whyDisabled);
    }

    /** When it was first put; empty before the put. */
    public Optional<Instant> created() {
        return Optional.ofNullable(created);
    }

    /** Whether it gets this publication of its topic: a subscription for a tenant gets only publications with this tenant, and likewise a business group. */
    public boolean wants(NewTask publication) {
        return active
                && (tenant == null || tenant.equals(publication.tenant().orElse(null)))
                && (businessGroup == null
                        || businessGroup.equals(publication.businessGroup().orElse(null)));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Subscription that
                && id.equals(that.id)
                && topic.equals(that.topic)
                && queue().equals(that.queue())
                && Objects.equals(tenant, that.tenant)
                && Objects.equals(businessGroup, that.businessGroup)
                && Objects.equals(webhook, that.webhook)
                && active == that.active
                && Objects.equals(whyDisabled, that.whyDisabled)
                && Objects.equals(created, that.created);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    @Override
    public String toString() {
        return "Subscription[" + id + " to " + topic + (active ? "" : ", disabled") + "]";
    }
}
