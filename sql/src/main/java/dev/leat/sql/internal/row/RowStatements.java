package dev.leat.sql.internal.row;

import dev.leat.Payload;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Statements;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.storage.SettledBy;
import dev.leat.storage.TaskLimits;
import java.util.HashMap;
import java.util.Map;

/** Loads the statements of a dialect, with the constants that their texts name. */
public final class RowStatements {

    private RowStatements() {}

    public static Statements of(Dialect dialect, Tables tables) {
        Map<String, String> constants = new HashMap<>();
        constants.put("sessionless_ttr", Long.toString(Times.micros(TaskLimits.TTR_WITHOUT_SESSION)));
        constants.put("settled_by_ack", Integer.toString(SettledBy.ACK.code()));
        constants.put("text_type", Payload.TEXT);
        constants.put("no_content_type", Payload.empty().contentType());
        for (RowState state : RowState.values()) {
            constants.put(state.name(), Integer.toString(state.code));
        }
        return new Statements(dialect, tables, constants);
    }
}
