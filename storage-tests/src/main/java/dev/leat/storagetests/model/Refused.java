package dev.leat.storagetests.model;

import dev.leat.error.LeatException;
import java.util.Set;

/** A call that the storage must refuse, with one of these reasons. */
final class Refused extends RuntimeException {
    private final Set<Class<? extends LeatException>> reasons;

    Refused(Set<Class<? extends LeatException>> reasons) {
        this.reasons = reasons;
    }

    Refused(Class<? extends LeatException> reason) {
        this(Set.of(reason));
    }

    Set<Class<? extends LeatException>> reasons() {
        return reasons;
    }
}
