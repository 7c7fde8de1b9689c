package dev.leat.error;

import dev.leat.NewTask;
import java.util.Optional;

/** The idempotency key was used within the last ten minutes with another fingerprint. Nothing was put. */
public final class IdempotencyKeyReusedException extends LeatException {
    private static final long serialVersionUID = 1L;

    public IdempotencyKeyReusedException(String queue, String idempotencyKey) {
        super("Idempotency key '" + idempotencyKey
                + "' was used within the last ten minutes for another put into queue '" + queue
                + "'. Use a new key for a new task.");
    }

    IdempotencyKeyReusedException(ErrorCode.Told told) {
        super(told.message());
    }

    /** For storages: refuses the put of {@code task} if both fingerprints are known and differ. */
    public static void check(NewTask task, Optional<String> knownFingerprint) {
        boolean isOther = knownFingerprint.isPresent()
                && task.fingerprint().isPresent()
                && !knownFingerprint.equals(task.fingerprint());
        if (isOther) {
            throw new IdempotencyKeyReusedException(
                    task.queue(), task.idempotencyKey().orElse(""));
        }
    }
}
