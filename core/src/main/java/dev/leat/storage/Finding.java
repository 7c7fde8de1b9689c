package dev.leat.storage;

/**
 * Something about a storage that an operator should know.
 *
 * @param level how bad it is
 * @param what what was found, as a sentence
 * @param advice what to do about it
 */
public record Finding(Level level, String what, String advice) {
    /** How bad something is. */
    public enum Level {
        /** It works, but will be slow or grow. */
        WARNING,
        /** It does not work as it should. */
        TROUBLE
    }
}
