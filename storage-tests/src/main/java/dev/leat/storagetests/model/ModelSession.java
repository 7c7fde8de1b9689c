package dev.leat.storagetests.model;

import dev.leat.SessionSpec;
import dev.leat.storage.Sweep;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A session in the model. */
final class ModelSession {
    final SessionSpec spec;
    Instant heard;

    @Nullable
    Instant disconnected;

    boolean ended;

    ModelSession(SessionSpec spec, Instant now) {
        this.spec = spec;
        this.heard = now;
    }

    Instant ends() {
        return disconnected == null ? heard.plus(spec.deadAfter()) : disconnected.plus(spec.grace());
    }

    /** Only a sweeper without a gap in its contact may end a silent session (12). A disconnect is known in any case. */
    boolean mayEnd(Sweep.Sessions silent) {
        return !ended && (disconnected != null || silent == Sweep.Sessions.END_SILENT);
    }
}
