package dev.leat.error;

/** A value of the caller is invalid; the message names it. */
public final class InvalidRequestException extends LeatException {
    private static final long serialVersionUID = 1L;

    private final String field;
    private final String problem;

    public InvalidRequestException(String field, String problem) {
        super(field + " " + problem);
        this.field = field;
        this.problem = problem;
    }

    public InvalidRequestException(String field, String problem, Throwable cause) {
        super(field + " " + problem, cause);
        this.field = field;
        this.problem = problem;
    }

    /** @param advice what a Java program can do; the end of the message */
    public InvalidRequestException(String field, String problem, String advice) {
        super(field + " " + problem, advice);
        this.field = field;
        this.problem = problem;
    }

    /** The name of the wrong value, as the caller knows it. */
    public String field() {
        return field;
    }

    /** The fault of the value, without its name and without advice. */
    public String problem() {
        return problem;
    }
}
