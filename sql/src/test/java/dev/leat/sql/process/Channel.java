package dev.leat.sql.process;

import dev.leat.sql.Sql;
import dev.leat.sql.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Listens to what processes tell each other by NOTIFY, from its creation on. */
public final class Channel implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 10_000;

    private final Connection listener;

    public Channel(TestDatabase database) throws SQLException {
        this.listener = database.connect();
        Sql.execute(listener, "LISTEN leat_leat_");
    }

    /**
     * A message, and what its sender ran last.
     *
     * @param words without the name of the sending process
     */
    public record Message(String words, String statement) {}

    /** What was committed since the last call; a last word of our own tells that all has been heard. */
    public List<String> heard() throws SQLException {
        Sql.execute(listener, "NOTIFY leat_leat_, 'end'");
        List<String> messages = new ArrayList<>();
        while (!messages.contains("end")) {
            for (PGNotification one : next()) {
                messages.add(one.getParameter());
            }
        }
        messages.remove("end");
        return messages;
    }

    /** What is said until these words. */
    public List<Message> heardUntil(String words) throws SQLException {
        List<Message> messages = new ArrayList<>();
        while (messages.stream().noneMatch(message -> message.words.equals(words))) {
            for (PGNotification one : next()) {
                messages.add(new Message(one.getParameter().split(" ", 2)[1], statementOf(one.getPID())));
            }
        }
        return messages;
    }

    private PGNotification[] next() throws SQLException {
        return listener.unwrap(PGConnection.class).getNotifications(PATIENCE_MILLIS);
    }

    private String statementOf(int process) throws SQLException {
        return Sql.text(listener, "SELECT query FROM pg_stat_activity WHERE pid = " + process);
    }

    @Override
    public void close() throws SQLException {
        listener.close();
    }
}
