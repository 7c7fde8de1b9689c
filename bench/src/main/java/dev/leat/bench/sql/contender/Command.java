package dev.leat.bench.sql.contender;

import java.util.List;

/** Does something and answers with words; throws what went wrong. */
interface Command {
    String run(Words words) throws Exception;

    /** The words after a command's name. */
    record Words(List<String> all) {
        String text(int place) {
            return all.get(place);
        }

        int number(int place) {
            return Integer.parseInt(text(place));
        }
    }
}
