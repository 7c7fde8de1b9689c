package dev.leat.sql.chaos;

import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.Storage;
import dev.leat.storagetests.InterceptedStorage;
import java.util.List;

/** A real storage whose leases, settles and heartbeats are written down as they are asked for and answered. */
final class RecordedStorage {
    private RecordedStorage() {}

    static Storage of(Storage real, Ledger ledger) {
        return InterceptedStorage.of(real, (name, arguments, call) -> {
            before(ledger, name, arguments);
            long since = System.nanoTime();
            Object answer = call.make();
            after(ledger, name, arguments, since, answer);
            return answer;
        });
    }

    private static void before(Ledger ledger, String name, Object[] arguments) {
        switch (name) {
            case "settle" ->
                ((List<?>) arguments[0])
                        .forEach(settle -> ledger.write(Entry.Event.SETTLING, ((Settle) settle).lease(), verb(settle)));
            case "sessions.close" -> ledger.write(Entry.Event.CLOSING, (String) arguments[0]);
            default -> {}
        }
    }

    private static void after(Ledger ledger, String name, Object[] arguments, long since, Object answer) {
        switch (name) {
            case "take" -> {
                String session = ((TakeRequest) arguments[0]).session().orElseThrow();
                ((List<?>) answer)
                        .forEach(taken -> ledger.write(Entry.Event.TAKEN, since, ((TakenTask) taken).lease(), session));
            }
            case "settle" -> {
                List<?> settles = (List<?>) arguments[0];
                List<?> results = (List<?>) answer;
                for (int i = 0; i < settles.size(); i++) {
                    SettleResult.Status status = ((SettleResult) results.get(i)).status();
                    ledger.write(Entry.Event.SETTLED, since, ((Settle) settles.get(i)).lease(), status.name());
                }
            }
            case "sessions.open" -> ledger.write(Entry.Event.ALIVE, since, (String) answer);
            case "sessions.heartbeat" -> {
                if (((HeartbeatReply) answer).alive()) {
                    ledger.write(Entry.Event.ALIVE, since, (String) arguments[0]);
                }
            }
            default -> {}
        }
    }

    private static String verb(Object settle) {
        return settle.getClass().getSimpleName();
    }
}
