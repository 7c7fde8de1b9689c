package dev.leat;

/** A value somebody handed in is wrong; the message names it. */
public final class InvalidRequestException extends LeatException {
    private static final long serialVersionUID = 1L;

    private final String field;

    public InvalidRequestException(String field, String problem) {
        super(field + " " + problem);
        this.field = field;
    }

    public InvalidRequestException(String field, String problem, Throwable cause) {
        super(field + " " + problem, cause);
        this.field = field;
    }

    /** The name of the wrong value, as the caller knows it. */
    public String field() {
        return field;
    }
}
