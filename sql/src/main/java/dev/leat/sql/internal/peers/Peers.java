package dev.leat.sql.internal.peers;

import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.storage.Notice;
import java.util.Optional;

/** The other processes that use the same tables: hears what they do, and tells them what is done here. */
public interface Peers extends AutoCloseable {
    /** What is heard from the others. */
    interface Hearer {
        void hear(Notice notice);

        /** The fresh lane of a queue has new rows, from this id on. */
        void hearFresh(String queue, int priority, long id);
    }

    /** Somebody here wants to hear. */
    void listen();

    /** Tells them of a change that is committed. A notice may be lost. */
    void tell(Notice notice);

    /** Tells them that the fresh lane of a queue has new rows, from this id on. */
    void tellFresh(String queue, int priority, long id);

    /** A message that is sent by the commit of the put it tells of, and ends with the id of the task. */
    record Announcement(String channel, String beginning) {}

    /** How a put of one fresh row can tell of itself; if not, {@link #tellFresh(String, int, long)} has to, afterwards. */
    default Optional<Announcement> announceFresh(String queue, int priority) {
        return Optional.empty();
    }

    /** A put that told of itself took so long. */
    default void announced(long nanos) {}

    /** Tells them of fresh rows when the transaction commits, if any of them waits for such. */
    void tellFresh(Tx transaction, String queue, int priority, long id);

    /** Tells them that a row is due later, when the transaction commits, if any of them waits for the queue. */
    void tellTimer(Tx transaction, String queue);

    @Override
    void close();
}
