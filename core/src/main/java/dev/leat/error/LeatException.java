package dev.leat.error;

/** The superclass of all exceptions that Leat throws for its callers. */
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

    /** @param advice what a Java program can do; the end of the message */
    LeatException(String problem, String advice) {
        super(problem + advice);
        this.withoutAdvice = problem;
    }

    /** The message without its advice for Java programs; the command line and HTTP add advice of their own. */
    public final String withoutAdvice() {
        return withoutAdvice;
    }

    /** The advice for Java programs at the end of the message, or an empty text. */
    public final String advice() {
        return String.valueOf(getMessage()).substring(withoutAdvice.length());
    }
}
