package dev.leat;

/** An active listener; {@link #close} ends it. A second close does nothing. */
public interface Registration extends AutoCloseable {
    @Override
    void close();
}
