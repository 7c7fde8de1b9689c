package dev.leat.internal.memory;

import dev.leat.TakeRequest;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.TakeOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The ready entries of one queue: by priority, then by type if takes filter by type, then in each order that the queue declares. A take never
 * reads entries that do not match.
 */
final class ReadyIndex {
    private static final String ANY_TYPE = "";
    /** The types of takes that do not filter by type. */
    private static final Set<String> ALL_TYPES = Set.of("");
    /** The name under which tenants are indexed like the values of a tag. No tag has this name. */
    private static final String TENANTS = "";
    /** The tenant of tasks without a tenant. */
    private static final String NO_TENANT = "";

    private final Comparator<Entry> place;
    private final boolean byType;
    private final boolean random;
    private final boolean inTurn;
    private final int tenantLimit;
    private final List<String> distinctTags;
    private final RandomGenerator rnd;
    private final TreeMap<Integer, Level> levels = new TreeMap<>();
    /** The number of taken entries, by tag and value, for each tag that takes spread over. */
    private final Map<String, Map<Object, Integer>> running = new HashMap<>();

    ReadyIndex(QueueOptions options, RandomGenerator rnd) {
        this.place = options.placeBy() == QueueOptions.PlaceBy.ID
                ? Comparator.comparingLong(e -> e.id)
                : Comparator.comparing((Entry e) -> e.due).thenComparingLong(e -> e.id);
        this.byType = options.typeFilter() == QueueOptions.TypeFilter.ON;
        this.random = options.takeOrders().stream().anyMatch(ReadyIndex::isRandom);
        this.inTurn = options.tenants() == QueueOptions.Tenants.IN_TURN;
        this.tenantLimit = options.tenantLimit();
        this.distinctTags = inTurn ? List.of(TENANTS) : distinctTags(options);
        this.rnd = rnd;
        distinctTags.forEach(tag -> running.put(tag, new HashMap<>()));
    }

    private static List<String> distinctTags(QueueOptions options) {
        return options.takeOrders().stream()
                .filter(TakeOrder.PreferDistinct.class::isInstance)
                .map(order -> ((TakeOrder.PreferDistinct) order).tag())
                .distinct()
                .toList();
    }

    private static boolean isRandom(TakeOrder order) {
        return order == TakeOrder.Simple.RANDOM
                || (order instanceof TakeOrder.PreferDistinct d && d.ties() == TakeOrder.Simple.RANDOM);
    }

    void add(Entry e) {
        levels.computeIfAbsent(e.priority, p -> new Level()).add(e);
    }

    void remove(Entry e) {
        Level level = Objects.requireNonNull(levels.get(e.priority));
        level.remove(e);
        if (level.isEmpty() && levels.size() > 1) {
            levels.remove(e.priority);
        }
    }

    /** Removes and returns the entry that a take gets next; null when none matches. */
    @Nullable
    Entry poll(TakeRequest request) {
        Set<String> types = request.types().orElse(null);
        for (Map.Entry<Integer, Level> level : levels.entrySet()) {
            if (level.getKey() > request.maxPriority()) {
                return null;
            }
            Entry e = level.getValue().best(request.order(), types);
            if (e != null) {
                remove(e);
                return e;
            }
        }
        return null;
    }

    /** Removes and returns all ready entries, in no order. */
    List<Entry> all() {
        List<Entry> all = new ArrayList<>();
        for (Level level : levels.values()) {
            for (Bucket bucket : level.buckets.values()) {
                for (Entry e = bucket.line.first(); e != null; e = bucket.line.first()) {
                    bucket.line.remove(e);
                    all.add(e);
                }
            }
        }
        levels.clear();
        return all;
    }

    void started(Entry e) {
        countRunning(e, 1);
    }

    void ended(Entry e) {
        countRunning(e, -1);
    }

    private void countRunning(Entry e, int by) {
        for (String tag : distinctTags) {
            Object value = value(tag, e);
            if (value != null) {
                reposition(tag, value, by);
            }
        }
    }

    private static @Nullable Object value(String tag, Entry e) {
        return tag.equals(TENANTS) ? tenant(e) : e.given.tags().get(tag);
    }

    private static String tenant(Entry e) {
        return e.given.tenant().orElse(NO_TENANT);
    }

    private void reposition(String tag, Object value, int by) {
        List<DistinctValues> indexes = new ArrayList<>();
        for (Level level : levels.values()) {
            for (Bucket bucket : level.buckets.values()) {
                indexes.add(Objects.requireNonNull(bucket.distinct.get(tag)));
            }
        }
        indexes.forEach(index -> index.unsort(value));
        Objects.requireNonNull(running.get(tag)).merge(value, by, (a, b) -> a + b == 0 ? null : a + b);
        indexes.forEach(index -> index.sort(value));
    }

    private int running(String tag, Object value) {
        return Objects.requireNonNull(running.get(tag)).getOrDefault(value, 0);
    }

    /** The ready entries of one priority. */
    private final class Level {
        final Map<String, Bucket> buckets = new HashMap<>();
        /** The tenant that a take got last, by the types of the take, so that takes of other types do not change it. */
        private final Map<Set<String>, String> lastTenants = new HashMap<>(0);

        void add(Entry e) {
            buckets.computeIfAbsent(typeOf(e), t -> new Bucket()).add(e);
        }

        void remove(Entry e) {
            String type = typeOf(e);
            Bucket bucket = Objects.requireNonNull(buckets.get(type));
            bucket.remove(e);
            if (bucket.line.isEmpty() && buckets.size() > 1) {
                buckets.remove(type);
            }
        }

        /** The last bucket stays when it is empty, because an empty queue is soon filled again. */
        boolean isEmpty() {
            return buckets.size() == 1
                    && buckets.values().iterator().next().line.isEmpty();
        }

        private String typeOf(Entry e) {
            return byType ? e.given.type().orElse(ANY_TYPE) : ANY_TYPE;
        }

        @Nullable
        Entry best(TakeOrder order, @Nullable Set<String> types) {
            if (types == null) {
                return inTurn ? ofNextTenant(order, buckets.values(), ALL_TYPES) : best(order, buckets.values());
            }
            List<Bucket> wanted = new ArrayList<>();
            for (String type : types) {
                Bucket bucket = buckets.get(type);
                if (bucket != null) {
                    wanted.add(bucket);
                }
            }
            return inTurn ? ofNextTenant(order, wanted, types) : best(order, wanted);
        }

        private @Nullable Entry best(TakeOrder order, Collection<Bucket> from) {
            if (order instanceof TakeOrder.PreferDistinct distinct) {
                return fairest(distinct, from);
            }
            if (order == TakeOrder.Simple.RANDOM) {
                return anyOf(from);
            }
            boolean newest = order == TakeOrder.Simple.NEWEST;
            Entry best = null;
            for (Bucket bucket : from) {
                Entry e = newest ? bucket.line.last() : bucket.line.first();
                if (e != null && (best == null || place.compare(e, best) < 0 != newest)) {
                    best = e;
                }
            }
            return best;
        }

        private @Nullable Entry anyOf(Collection<Bucket> from) {
            int total = 0;
            for (Bucket bucket : from) {
                total += bucket.bag.size();
            }
            if (total == 0) {
                return null;
            }
            int pick = rnd.nextInt(total);
            for (Bucket bucket : from) {
                if (pick < bucket.bag.size()) {
                    return bucket.bag.get(pick);
                }
                pick -= bucket.bag.size();
            }
            throw new IllegalStateException("the bags have fewer entries than their sizes");
        }

        private @Nullable Entry ofNextTenant(TakeOrder order, Collection<Bucket> from, Set<String> types) {
            String last = lastTenants.getOrDefault(types, NO_TENANT);
            NextTenant next = null;
            for (Bucket bucket : from) {
                DistinctValues index = Objects.requireNonNull(bucket.distinct.get(TENANTS));
                NextTenant candidate = index.nextTenant(last);
                if (candidate != null && (next == null || candidate.compareTo(next) < 0)) {
                    next = candidate;
                }
            }
            if (next == null) {
                return null;
            }
            lastTenants.put(types, next.tenant);
            boolean newest = order == TakeOrder.Simple.NEWEST;
            Entry best = null;
            for (Bucket bucket : from) {
                NavigableSet<Entry> entries = Objects.requireNonNull(bucket.distinct.get(TENANTS))
                        .byValue
                        .get(next.tenant);
                if (entries != null) {
                    Entry e = newest ? entries.last() : entries.first();
                    best = best == null || place.compare(e, best) < 0 != newest ? e : best;
                }
            }
            return best;
        }

        private @Nullable Entry fairest(TakeOrder.PreferDistinct order, Collection<Bucket> from) {
            int fewest = Integer.MAX_VALUE;
            List<NavigableSet<Entry>> values = new ArrayList<>();
            for (Bucket bucket : from) {
                DistinctValues index = Objects.requireNonNull(bucket.distinct.get(order.tag()));
                int least = index.fewestRunning();
                if (least < fewest) {
                    fewest = least;
                    values.clear();
                }
                if (least == fewest) {
                    index.collect(least, values);
                }
            }
            if (values.isEmpty()) {
                return null;
            }
            return switch (order.ties()) {
                case OLDEST ->
                    values.stream().map(NavigableSet::first).min(place).orElseThrow();
                case NEWEST ->
                    values.stream().map(NavigableSet::last).max(place).orElseThrow();
                case RANDOM -> values.get(rnd.nextInt(values.size())).first();
            };
        }
    }

    /** The ready entries of one priority and type. */
    private final class Bucket {
        final Line line = new Line(place);
        final List<Entry> bag = new ArrayList<>(0);
        final Map<String, DistinctValues> distinct;

        Bucket() {
            if (distinctTags.isEmpty()) {
                distinct = Map.of();
            } else {
                distinct = new HashMap<>();
                distinctTags.forEach(tag -> distinct.put(tag, new DistinctValues(tag)));
            }
        }

        void add(Entry e) {
            line.add(e);
            if (random) {
                e.bagIndex = bag.size();
                bag.add(e);
            }
            distinct.values().forEach(index -> index.add(e));
        }

        void remove(Entry e) {
            line.remove(e);
            if (random) {
                Entry last = bag.remove(bag.size() - 1);
                if (last != e) {
                    bag.set(e.bagIndex, last);
                    last.bagIndex = e.bagIndex;
                }
                e.bagIndex = -1;
            }
            distinct.values().forEach(index -> index.remove(e));
        }
    }

    /** @param wraps whether this tenant comes before the last one, so that the round starts again */
    private record NextTenant(int running, boolean wraps, String tenant) implements Comparable<NextTenant> {
        private static final Comparator<NextTenant> ORDER = Comparator.comparingInt(NextTenant::running)
                .thenComparing(NextTenant::wraps)
                .thenComparing(NextTenant::tenant);

        @Override
        public int compareTo(NextTenant other) {
            return ORDER.compare(this, other);
        }
    }

    /** The ready entries of one bucket by the value of a tag, and the values by the number of their taken entries. */
    private final class DistinctValues {
        /** Entries without the tag come before every value. */
        private static final int NO_TAG = -1;

        private final String tag;
        private final TreeSet<Entry> untagged = new TreeSet<>(place);
        private final Map<Object, TreeSet<Entry>> byValue = new HashMap<>();
        private final TreeMap<Integer, NavigableSet<Object>> byRunning = new TreeMap<>();

        DistinctValues(String tag) {
            this.tag = tag;
        }

        void add(Entry e) {
            Object value = value(tag, e);
            if (value == null) {
                untagged.add(e);
                return;
            }
            byValue.computeIfAbsent(value, v -> new TreeSet<>(place)).add(e);
            sort(value);
        }

        void remove(Entry e) {
            Object value = value(tag, e);
            if (value == null) {
                untagged.remove(e);
                return;
            }
            TreeSet<Entry> entries = Objects.requireNonNull(byValue.get(value));
            entries.remove(e);
            if (entries.isEmpty()) {
                unsort(value);
                byValue.remove(value);
            }
        }

        void sort(Object value) {
            if (byValue.containsKey(value)) {
                byRunning
                        .computeIfAbsent(running(tag, value), n -> new TreeSet<>())
                        .add(value);
            }
        }

        void unsort(Object value) {
            int count = running(tag, value);
            Set<Object> values = byRunning.get(count);
            if (values != null && values.remove(value) && values.isEmpty()) {
                byRunning.remove(count);
            }
        }

        int fewestRunning() {
            if (!untagged.isEmpty()) {
                return NO_TAG;
            }
            return byRunning.isEmpty() ? Integer.MAX_VALUE : byRunning.firstKey();
        }

        void collect(int count, List<NavigableSet<Entry>> into) {
            if (count == NO_TAG) {
                into.add(untagged);
            } else if (count != Integer.MAX_VALUE) {
                Objects.requireNonNull(byRunning.get(count))
                        .forEach(v -> into.add(Objects.requireNonNull(byValue.get(v))));
            }
        }

        /** The next tenant after the last one among those with the fewest taken entries; null if all have reached their limit. */
        @Nullable
        NextTenant nextTenant(String last) {
            Map.Entry<Integer, NavigableSet<Object>> fewest = byRunning.firstEntry();
            if (fewest == null) {
                return null;
            }
            if (tenantLimit > 0 && fewest.getKey() >= tenantLimit) {
                return byValue.containsKey(NO_TENANT)
                        ? new NextTenant(running(TENANTS, NO_TENANT), false, NO_TENANT)
                        : null;
            }
            Object next = fewest.getValue().higher(last);
            return next == null
                    ? new NextTenant(
                            fewest.getKey(), true, (String) fewest.getValue().first())
                    : new NextTenant(fewest.getKey(), false, (String) next);
        }
    }
}
