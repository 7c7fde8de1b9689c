package dev.leat;

import dev.leat.error.InvalidRequestException;
import java.nio.ByteBuffer;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The exclusive, revocable right to settle one delivery of one task.
 *
 * <p>A lease names the task and, by a random nonce, this delivery of it. When the task is handed out again it gets
 * another nonce, and the old lease cannot change the task any more. Outside of the process, the lease is the opaque text
 * of {@link #token()}.
 */
public final class Lease {
    private static final int TOKEN_BYTES = 2 * Long.BYTES;

    private final long taskId;
    private final long nonce;

    private Lease(long taskId, long nonce) {
        this.taskId = taskId;
        this.nonce = nonce;
    }

    /** For storages: the lease of a new delivery. */
    public static Lease of(long taskId, long nonce) {
        return new Lease(taskId, nonce);
    }

    /** Reads a text that {@link #token()} wrote. */
    public static Lease parse(String token) {
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(token);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException("lease", "is not a lease token: '" + token + "'", e);
        }
        if (bytes.length != TOKEN_BYTES) {
            throw new InvalidRequestException("lease", "is not a lease token: '" + token + "'");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new Lease(buffer.getLong(), buffer.getLong());
    }

    public String token() {
        byte[] bytes =
                ByteBuffer.allocate(TOKEN_BYTES).putLong(taskId).putLong(nonce).array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    public long taskId() {
        return taskId;
    }

    /** For storages: the random number that tells this delivery from all others of the task. */
    public long nonce() {
        return nonce;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Lease that && taskId == that.taskId && nonce == that.nonce;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(taskId) * 31 + Long.hashCode(nonce);
    }

    @Override
    public String toString() {
        return "Lease[task " + taskId + "]";
    }
}
