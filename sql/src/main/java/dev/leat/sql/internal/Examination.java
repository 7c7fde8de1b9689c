package dev.leat.sql.internal;

import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.operation.SubscriptionRows;
import dev.leat.storage.Finding;
import java.util.ArrayList;
import java.util.List;

/** Looks for problems of the database. */
final class Examination {
    private Examination() {}

    /** All findings. A look that fails, for example for missing rights, is a finding too. */
    static List<Finding> of(Db db) {
        List<Finding> findings = new ArrayList<>();
        try {
            findings.addAll(db.look(SubscriptionRows::examine));
            findings.addAll(db.look(tx -> tx.list(
                    "examine",
                    row -> new Finding(Finding.Level.valueOf(row.getString(1)), row.getString(2), row.getString(3)))));
        } catch (Tx.Failure e) {
            findings.add(new Finding(
                    Finding.Level.WARNING,
                    "Could not examine the server: " + e.getMessage(),
                    "Check the rights of Leat's database user"));
        }
        return findings;
    }
}
