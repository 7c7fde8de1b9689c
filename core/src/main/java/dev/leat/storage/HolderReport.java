package dev.leat.storage;

import dev.leat.Payload;
import dev.leat.Settle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a settle writes to its task: the holder's message, failure code and result.
 *
 * @param message null for an empty message
 * @param errorCode 0 for none
 */
public record HolderReport(
        @Nullable String message, int errorCode, @Nullable Payload result) {
    /**
     * The report of a settle. A release and a give-back report nothing. The settle of a canceled task reports nothing either: the task keeps
     * the operator's reason (rule 11).
     */
    public static Optional<HolderReport> of(Settle settle, boolean cancelRequested) {
        if (cancelRequested || settle instanceof Settle.Release || settle instanceof Settle.GiveBack) {
            return Optional.empty();
        }
        return Optional.of(new HolderReport(
                settle.message().isEmpty() ? null : settle.message(),
                settle instanceof Settle.Fail fail ? fail.code() : 0,
                settle instanceof Settle.Ack ack ? ack.result().orElse(null) : null));
    }
}
