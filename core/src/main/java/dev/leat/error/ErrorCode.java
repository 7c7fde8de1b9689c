package dev.leat.error;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** The stable name of a refused call, with which an exception crosses a process border. */
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
    /** After OUTCOME_UNKNOWN, whose exception is a subclass. */
    STORAGE_UNAVAILABLE(StorageException.class, told -> new StorageException(told.message)),
    CLOSED(ClosedException.class, ClosedException::new);

    /** The message of an exception from another process. */
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

    /** The code of an exception; empty for an unexpected one. */
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

    /** Makes the exception of this code with a message from another process. */
    public LeatException told(String message) {
        return again.apply(new Told(message));
    }
}
