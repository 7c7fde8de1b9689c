package dev.leat;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whoever gets a task of his own for each publication of a topic. Immutable; each method that takes a value gives a changed copy.
 *
 * <pre>{@code
 * leat.subscriptions().put(Subscription.to("orders", "billing").tenant("acme"));
 * }</pre>
 */
public final class Subscription {
    private final String id;
    private final String topic;
    private final @Nullable String queue;
    private final @Nullable String tenant;
    private final @Nullable String businessGroup;
    private final @Nullable String whyDisabled;
    private final boolean active;
    private final @Nullable Instant created;

    private Subscription(
            String id,
            String topic,
            @Nullable String queue,
            @Nullable String tenant,
            @Nullable String businessGroup,
            boolean active,
            @Nullable String whyDisabled,
            @Nullable Instant created) {
        this.id = id;
        this.topic = topic;
        this.queue = queue;
        this.tenant = tenant;
        this.businessGroup = businessGroup;
        this.active = active;
        this.whyDisabled = whyDisabled;
        this.created = created;
    }

    /**
     * An active subscription to everything that is published.
     *
     * @param id a name of its own among all subscriptions; handlers are registered by it
     */
    public static Subscription to(String topic, String id) {
        return new Subscription(
                Checks.name("subscription", id), Checks.queueName(topic), null, null, null, true, null, null);
    }

    /** Its tasks go to this queue instead of the topic's. */
    public Subscription queue(String queue) {
        return new Subscription(
                id, topic, Checks.queueName(queue), tenant, businessGroup, active, whyDisabled, created);
    }

    /** It gets only what is published for this tenant. */
    public Subscription tenant(String tenant) {
        return new Subscription(
                id, topic, queue, Checks.name("tenant", tenant), businessGroup, active, whyDisabled, created);
    }

    /** It gets only what is published for this business group. */
    public Subscription businessGroup(String businessGroup) {
        return new Subscription(
                id, topic, queue, tenant, Checks.name("businessGroup", businessGroup), active, whyDisabled, created);
    }

    /** It gets nothing any more. */
    public Subscription disabled(String reason) {
        String why = reason.isBlank() ? null : reason;
        return new Subscription(id, topic, queue, tenant, businessGroup, false, why, created);
    }

    public Subscription enabled() {
        return new Subscription(id, topic, queue, tenant, businessGroup, true, null, created);
    }

    /** For storages. */
    public Subscription created(Instant created) {
        return new Subscription(id, topic, queue, tenant, businessGroup, active, whyDisabled, created);
    }

    public String id() {
        return id;
    }

    public String topic() {
        return topic;
    }

    /** Where its tasks go. */
    public String queue() {
        return queue == null ? topic : queue;
    }

    public Optional<String> tenant() {
        return Optional.ofNullable(tenant);
    }

    public Optional<String> businessGroup() {
        return Optional.ofNullable(businessGroup);
    }

    public boolean isActive() {
        return active;
    }

    /** Why it was disabled, where somebody said so. */
    public Optional<String> whyDisabled() {
        return Optional.ofNullable(whyDisabled);
    }

    /** When it was first put; empty before that. */
    public Optional<Instant> created() {
        return Optional.ofNullable(created);
    }

    /** Whether it wants a publication of its topic: one for somebody else it does not, one for nobody in particular only if it wants all. */
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
