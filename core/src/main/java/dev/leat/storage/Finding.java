package dev.leat.storage;

/**
 * A problem of a storage that an operator should know.
 *
 * @param level how serious the problem is
 * @param what the problem, as a sentence
 * @param advice what to do
 */
public record Finding(Level level, String what, String advice) {
    /** How serious a problem is. */
    public enum Level {
        /** The storage works, but will get slow or large. */
        WARNING,
        /** A part of the storage does not work. */
        TROUBLE
    }
}
