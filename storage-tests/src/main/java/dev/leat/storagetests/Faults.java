package dev.leat.storagetests;

import dev.leat.Registration;
import dev.leat.Settle;
import dev.leat.error.StorageException;
import dev.leat.storage.Lock;
import dev.leat.storage.Notice;
import dev.leat.storage.Signal;
import dev.leat.storage.Storage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A connection between a Leat and a real storage that a test can break, delay and observe. */
public final class Faults {
    /** What the connection does to a call. */
    public enum Line {
        WORKS,
        /** The call does not reach the storage. */
        DOWN,
        /** The call reaches the storage, the answer does not come back. */
        LOSES_ANSWERS
    }

    private static final Set<String> LOCAL = Set.of("name", "capabilities", "signal");

    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
    private final Map<String, Object> answers = new ConcurrentHashMap<>();
    private final Map<String, Hold> holds = new ConcurrentHashMap<>();
    private volatile Line line = Line.WORKS;
    private volatile String only = "";
    private volatile boolean deaf;
    private volatile long refused;
    private volatile long untold;

    /** Delays the answers of a method until {@link #release}. */
    public static final class Hold {
        private final Predicate<Object> which;
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        private Hold(Predicate<Object> which) {
            this.which = which;
        }

        /** Whether the storage has answered a call and the answer is delayed. */
        public boolean isReached() {
            return reached.getCount() == 0;
        }

        public void release() {
            released.countDown();
        }
    }

    public void set(Line now) {
        line = now;
        only = "";
    }

    /** Breaks the connection for one method of {@link Storage}, or of a part such as {@code sessions.heartbeat}, only. */
    public void set(Line now, String method) {
        only = method;
        line = now;
    }

    /** From now on, delays the answers of this method; the calls reach the storage. */
    public Hold hold(String method) {
        return hold(method, answer -> true);
    }

    /** From now on, delays the answers of takes that return tasks. */
    public Hold holdTasks() {
        return hold("take", answer -> !List.of().equals(answer));
    }

    private Hold hold(String method, Predicate<Object> which) {
        Hold hold = new Hold(which);
        holds.put(method, hold);
        return hold;
    }

    /** Makes every settle of this task fail with an error that a retry does not solve. */
    public void refuseToSettle(long taskId) {
        refused = taskId;
    }

    /** Makes every query of the status of this task fail with an error that a retry does not solve. */
    public void refuseToTell(long taskId) {
        untold = taskId;
    }

    /** Drops all notices, so that waiting processes find changes only by their own checks. */
    public Faults deaf() {
        deaf = true;
        return this;
    }

    public int calls(String method) {
        AtomicInteger count = calls.get(method);
        return count == null ? 0 : count.get();
    }

    /** The last answer of this method, or null if there is none. */
    public @Nullable Object lastAnswer(String method) {
        return answers.get(method);
    }

    public Storage between(Storage real) {
        return InterceptedStorage.of(real, (name, arguments, call) -> {
            if (name.equals("close")) {
                return null; // the test closes the real storage
            }
            if (name.equals("lock")) {
                return (Lock) (lock, lease) ->
                        reached(real.lock()).tryAcquire(lock, lease).<Lock.Held>map(Cuttable::new);
            }
            if (name.equals("signal") && deaf) {
                return new Deaf();
            }
            boolean affected = !LOCAL.contains(name) && (only.isEmpty() || only.equals(name));
            calls.computeIfAbsent(name, n -> new AtomicInteger()).incrementAndGet();
            if (affected && line == Line.DOWN) {
                throw new StorageException("the line is down");
            }
            if (name.equals("settle") && contains((List<?>) arguments[0], refused)) {
                throw new IllegalArgumentException("task " + refused + " cannot be settled");
            }
            if (name.equals("statuses") && ((Set<?>) arguments[0]).contains(untold)) {
                throw new IllegalArgumentException("nobody is told of task " + untold);
            }
            Object answer = call.make();
            if (answer != null) {
                answers.put(name, answer);
            }
            holdBack(name, answer);
            if (affected && line == Line.LOSES_ANSWERS) {
                throw new StorageException("the answer was lost");
            }
            return answer;
        });
    }

    private <T> T reached(T beyond) {
        if (line == Line.DOWN && only.isEmpty()) {
            throw new StorageException("the line is down");
        }
        return beyond;
    }

    /** A held lock whose calls go through the connection. */
    private final class Cuttable implements Lock.Held {
        private final Lock.Held held;

        Cuttable(Lock.Held held) {
            this.held = held;
        }

        @Override
        public boolean renew() {
            boolean answer = reached(held).renew();
            try {
                holdBack("renew", answer);
            } catch (InterruptedException e) {
                throw new StorageException("interrupted", e);
            }
            return answer;
        }

        @Override
        public void close() {
            reached(held).close();
        }
    }

    private static boolean contains(List<?> settles, long taskId) {
        return settles.stream().anyMatch(settle -> ((Settle) settle).lease().taskId() == taskId);
    }

    private void holdBack(String method, @Nullable Object answer) throws InterruptedException {
        Hold hold = holds.get(method);
        if (hold != null && hold.which.test(answer)) {
            hold.reached.countDown();
            hold.released.await();
        }
    }

    /** A signal that loses all notices. */
    private static final class Deaf implements Signal {
        @Override
        public void send(Notice notice) {
            // lost
        }

        @Override
        public Registration listen(Consumer<Notice> listener) {
            return () -> {};
        }

        @Override
        public Duration missInterval() {
            return Duration.ofMillis(50);
        }
    }
}
