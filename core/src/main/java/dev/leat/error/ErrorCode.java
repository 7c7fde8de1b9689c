package dev.leat.error;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** Why a call was refused, by names that never change: for whoever passes an exception on to another process. */
public enum ErrorCode {
    INVALID(InvalidRequestException.class, told -> new InvalidRequestException("request", told.message)),
    UNREADABLE_PAYLOAD(PayloadException.class, told -> new PayloadException(told.message)),
    FORBIDDEN(AccessDeniedException.class, told -> new AccessDeniedException(told.message)),
    QUEUE_NOT_FOUND(QueueNotFoundException.class, QueueNotFoundException::new),
    TASK_NOT_FOUND(TaskNotFoundException.class, TaskNotFoundException::new),
    GROUP_NOT_FOUND(GroupNotFoundException.class, GroupNotFoundException::new),
    SUBSCRIPTION_NOT_FOUND(SubscriptionNotFoundException.class, SubscriptionNotFoundException::new),
    SCHEDULE_NOT_FOUND(ScheduleNotFoundException.class, ScheduleNotFoundException::new),
    QUEUE_EXISTS(QueueExistsException.class, QueueExistsException::new),
    QUEUE_FULL(QueueFullException.class, QueueFullException::new),
    QUEUE_IN_USE(QueueInUseException.class, QueueInUseException::new),
    ADDRESS_IN_USE(AddressInUseException.class, AddressInUseException::new),
    ADDRESS_IN_DOUBT(AddressInDoubtException.class, AddressInDoubtException::new),
    IDEMPOTENCY_KEY_REUSED(IdempotencyKeyReusedException.class, IdempotencyKeyReusedException::new),
    EQUIVALENT_IN_DOUBT(EquivalentInDoubtException.class, EquivalentInDoubtException::new),
    GROUP_CLOSED(GroupClosedException.class, GroupClosedException::new),
    GROUP_EXISTS(GroupExistsException.class, GroupExistsException::new),
    UNSUPPORTED(UnsupportedByStorageException.class, UnsupportedByStorageException::new),
    SESSION_ENDED(SessionEndedException.class, SessionEndedException::new),
    OUTCOME_FORGOTTEN(OutcomeForgottenException.class, OutcomeForgottenException::new),
    OUTCOME_UNKNOWN(PutOutcomeUnknownException.class, PutOutcomeUnknownException::new),
    /** Behind the one above, which is one of its kind. */
    STORAGE_UNAVAILABLE(StorageException.class, told -> new StorageException(told.message)),
    CLOSED(ClosedException.class, ClosedException::new);

    /** The words of an exception that was thrown elsewhere. */
    record Told(String message) {}

    private final Class<? extends LeatException> type;
    private final Function<Told, LeatException> again;

    ErrorCode(Class<? extends LeatException> type, Function<Told, LeatException> again) {
        this.type = type;
        this.again = again;
    }

    /** The name outside of Java, such as {@code queue-not-found}. */
    public String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What kind of refusal an exception is; empty for a mistake. */
    public static Optional<ErrorCode> of(Throwable e) {
        return Arrays.stream(values())
                .filter(refusal -> refusal.type.isInstance(e))
                .findFirst();
    }

    public static Optional<ErrorCode> of(String code) {
        return Arrays.stream(values())
                .filter(refusal -> refusal.code().equals(code))
                .findFirst();
    }

    /** The exception that was thrown elsewhere with this message. */
    public LeatException told(String message) {
        return again.apply(new Told(message));
    }
}
