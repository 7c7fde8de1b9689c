-- Notices, the doctor, settings and migrations.

-- name: notify
-- Commits without waiting for the disk. A crash of the server ends the listeners too.
SELECT pg_notify(?, message), set_config('synchronous_commit', 'off', true) FROM unnest(?::text[]) message

-- name: notify-waiters
-- Notifies only if a session has reported a waiting take, because a NOTIFY slows the commit of the caller down.
SELECT pg_notify(?, ?) WHERE EXISTS (
  SELECT 1 FROM ${prefix}session WHERE waiting IS NOT NULL AND jsonb_exists(waiting::jsonb, ?))

-- name: examine
-- Transactions and slots that keep the server from cleaning up dead rows, and the dead rows.
SELECT 'WARNING', format('Session %s (%s) of database %s keeps a snapshot for %s s.', pid,
  coalesce(nullif(application_name, ''), usename), datname, round(extract(epoch FROM clock_timestamp() - xact_start))),
  format('End its transaction, or SELECT pg_terminate_backend(%s): dead rows cannot be cleaned up meanwhile.', pid)
FROM pg_stat_activity
WHERE backend_xmin IS NOT NULL AND backend_type = 'client backend' AND pid <> pg_backend_pid()
  AND xact_start < clock_timestamp() - interval '5 minutes'
UNION ALL
SELECT 'WARNING', format('Prepared transaction ''%s'' waits for its end for %s s.', gid,
  round(extract(epoch FROM clock_timestamp() - prepared))), 'COMMIT PREPARED or ROLLBACK PREPARED it.'
FROM pg_prepared_xacts WHERE prepared < clock_timestamp() - interval '5 minutes'
UNION ALL
SELECT 'WARNING', format('Replication slot %s keeps rows of %s transactions.', slot_name, age(coalesce(xmin, catalog_xmin))),
  'Drop it if its standby is gone.'
FROM pg_replication_slots WHERE age(coalesce(xmin, catalog_xmin)) > 10000000
UNION ALL
SELECT 'WARNING', format('%s has %s dead rows beside %s live ones.', relid::regclass, n_dead_tup, n_live_tup),
  'Look for old snapshots, and whether autovacuum gets to this table.'
FROM pg_stat_all_tables WHERE relid = '${prefix}task'::regclass AND n_dead_tup > greatest(1000000, 10 * n_live_tup)
UNION ALL
SELECT 'TROUBLE', 'Autovacuum is off.', 'Switch it on, or VACUUM often: the tables only grow.'
FROM pg_settings WHERE name = 'autovacuum' AND setting = 'off'
UNION ALL
SELECT 'TROUBLE', 'The server is a standby that can only be read.', 'Connect to the primary.' WHERE pg_is_in_recovery()

-- name: lock-timeout
SELECT current_setting('lock_timeout')

-- name: set-lock-timeout
SELECT set_config('lock_timeout', ?, true)

-- name: create-schema
CREATE SCHEMA IF NOT EXISTS ${schema}

-- name: lock-migrations
SELECT pg_try_advisory_xact_lock(hashtextextended('leat migrations of ${prefix}', 0))::int

-- name: unlock-migrations
-- The lock ends with the transaction.
SELECT 1

-- name: has-migrations
SELECT 1 WHERE to_regclass('${prefix}migration') IS NOT NULL
