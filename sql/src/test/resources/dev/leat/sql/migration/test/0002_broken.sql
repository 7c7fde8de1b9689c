-- A next migration for NextMigrationTest that fails after its first statement.
CREATE TABLE ${prefix}half_done (id INTEGER);

INSERT INTO ${prefix}no_such_table (id) VALUES (1);
