-- A next migration for NextMigrationTest. Old processes insert tasks without the column.
ALTER TABLE ${prefix}task ADD COLUMN /*M! IF NOT EXISTS */ estimate INTEGER;
