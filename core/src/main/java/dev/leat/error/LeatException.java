package dev.leat.error;

/** The root of everything Leat throws on purpose. */
public class LeatException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String withoutAdvice;

    public LeatException(String message) {
        super(message);
        this.withoutAdvice = message;
    }

    public LeatException(String message, Throwable cause) {
        super(message, cause);
        this.withoutAdvice = message;
    }

    /** @param advice what a Java program can do about it: the end of the message */
    LeatException(String problem, String advice) {
        super(problem + advice);
        this.withoutAdvice = problem;
    }

    /** The message without advice that only helps Java programs; the command line and HTTP have words of their own. */
    public final String withoutAdvice() {
        return withoutAdvice;
    }

    /** The end of the message that only helps Java programs; empty where there is none. */
    public final String advice() {
        return String.valueOf(getMessage()).substring(withoutAdvice.length());
    }
}
