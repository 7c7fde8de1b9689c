package dev.leat.client.internal;

import dev.leat.error.StorageException;
import java.net.URI;

/** The connection was lost after a call was sent and before its answer came. */
final class AnswerLostException extends StorageException {
    private static final long serialVersionUID = 1L;

    AnswerLostException(URI server, String operation) {
        super("The connection to the server at " + server + " was lost before it answered '" + operation
                + "': it may have been done or not.");
    }
}
