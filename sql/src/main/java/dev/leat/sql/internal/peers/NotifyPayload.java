package dev.leat.sql.internal.peers;

import dev.leat.storage.Notice;
import java.util.Optional;

/**
 * The payload of a NOTIFY: {@code <sender> <kind> <details>}, such as {@code 1k9x fresh mail 0 4711}. Writes payloads for
 * {@link NotifySender} and reads them for {@link NotifyListener}. The trigger of plain INSERTs writes them in SQL.
 *
 * <p>PostgreSQL allows 8000 bytes. A payload stays far below, since a name has at most 128.
 *
 * @param sender the process that sent the payload, or {@link #NO_PROCESS}
 */
record NotifyPayload(String sender, PeerMessage message) {
    /** The sender where every process has to react, the sending one as well. */
    static final String NO_PROCESS = "-";

    private static final String READY = "ready";
    private static final String PAUSED = "paused";
    private static final String SESSION = "session";
    private static final String TASK = "task";
    private static final String TIMER = "timer";
    private static final String FRESH = "fresh";
    private static final String GOODBYE = "bye";

    String text() {
        if (message instanceof PeerMessage.FreshRows fresh) {
            return beforeFreshId(sender, fresh.queue(), fresh.priority()) + fresh.firstId();
        }
        return sender + " " + (message instanceof PeerMessage.OfNotice of ? words(of.notice()) : GOODBYE);
    }

    /** The payload of fresh rows up to the id, which the inserting statement appends. */
    static String beforeFreshId(String sender, String queue, int priority) {
        return sender + " " + FRESH + " " + queue + " " + priority + " ";
    }

    private static String words(Notice notice) {
        if (notice instanceof Notice.Ready ready) {
            return READY + " " + ready.queue();
        } else if (notice instanceof Notice.Paused paused) {
            return PAUSED + " " + paused.queue();
        } else if (notice instanceof Notice.SessionNews news) {
            return SESSION + " " + news.session();
        } else if (notice instanceof Notice.TaskNews news) {
            return TASK + " " + news.taskId();
        }
        return TIMER;
    }

    /**
     * Empty for a kind that this version does not know.
     *
     * @throws RuntimeException for details that no version of Leat writes
     */
    static Optional<NotifyPayload> parse(String text) {
        String[] words = text.split(" ", 3);
        if (words.length < 2) {
            return Optional.empty();
        }
        String details = words.length == 3 ? words[2] : "";
        return message(words[1], details).map(message -> new NotifyPayload(words[0], message));
    }

    private static Optional<PeerMessage> message(String kind, String details) {
        return switch (kind) {
            case READY -> of(new Notice.Ready(details));
            case PAUSED -> of(new Notice.Paused(details));
            case SESSION -> of(new Notice.SessionNews(details));
            case TASK -> of(new Notice.TaskNews(Long.parseLong(details)));
            case TIMER -> of(Notice.TimerMoved.INSTANCE);
            case FRESH -> {
                String[] row = details.split(" ", 3);
                yield Optional.of(new PeerMessage.FreshRows(row[0], Integer.parseInt(row[1]), Long.parseLong(row[2])));
            }
            case GOODBYE -> Optional.of(new PeerMessage.Goodbye());
            default -> Optional.empty();
        };
    }

    private static Optional<PeerMessage> of(Notice notice) {
        return Optional.of(new PeerMessage.OfNotice(notice));
    }
}
