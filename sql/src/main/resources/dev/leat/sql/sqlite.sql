-- SQLite: one writer at a time, so what is read inside a writing transaction cannot change under it.

-- name: new-ids
-- Nobody else can insert before this transaction ends, so the ids after the last one are ours.
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?)
SELECT i + (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '${prefix}task') FROM n

-- name: changes
PRAGMA data_version

-- name: file
-- With its path.
SELECT file FROM pragma_database_list WHERE name = 'main'

-- name: last-id
SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '${prefix}task'

-- name: last-group-id
SELECT seq FROM sqlite_sequence WHERE name = '${prefix}task_group'

-- name: enter-key
INSERT INTO ${prefix}key_lease (queue_id, task_key, task_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: insert-new-idempotency
INSERT INTO ${prefix}idempotency (queue_id, idempotency, task_id, known_until, fingerprint) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: acquire-lock
INSERT INTO ${prefix}lock (name, holder, held_until) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- fragment: in_ids
-- A list of ids comes as a JSON array.
IN (SELECT value FROM json_each(?))

-- name: live-tasks
SELECT ${live_columns} FROM ${prefix}task t WHERE t.id ${in_ids}

-- name: lock-tasks
SELECT ${live_columns} FROM ${prefix}task t WHERE t.id ${in_ids}

-- name: standings
SELECT ${standing} FROM ${prefix}task t WHERE t.id IN (SELECT value FROM json_each(?))

-- name: finished-standings
SELECT ${finished_standing} FROM ${prefix}finished t
WHERE t.id IN (SELECT value FROM json_each(?)) AND (t.hidden_at > ? OR t.finished_at > ?)

-- name: plain-deliveries
-- Taken tasks whose ack concerns nobody else: no key to pass on, no group to end, no wish to cancel.
SELECT t.id, t.nonce, t.queue_id FROM ${prefix}task t
WHERE t.id ${in_ids} AND t.state = ${TAKEN} AND t.task_key IS NULL AND t.group_id IS NULL
  AND t.revoke_at IS NULL AND (t.publication_id IS NULL OR t.publication_id <> 0)

-- name: finish-plain
-- Moves acknowledged tasks in two statements, however many there are. The payload is read only if it is kept.
INSERT INTO ${prefix}finished (
  id, queue_id, state, finished_at, hidden_at, priority, created, due, previous_due, expires, ttr, attempts, failures,
  losses, releases, settled_nonce, settled_by, address, type, tenant, business_group, origin, destination,
  external_key, payload_hash, tags, trace, dead_of, publication_id, subscriber, error_code, content_type, payload)
SELECT
  id, queue_id, ${DONE}, ?, ?, priority, created, due, previous_due, expires, ttr, attempts, failures,
  losses, releases, nonce, ?, address, type, tenant, business_group, origin, destination,
  external_key, payload_hash, tags, trace, dead_of, publication_id, subscriber, 0,
  CASE WHEN ? OR coalesce(length(payload), 0) = 0 THEN content_type ELSE ? END, CASE WHEN ? THEN payload END
FROM ${prefix}task WHERE id ${in_ids}

-- name: delete-plain
DELETE FROM ${prefix}task WHERE id ${in_ids}

-- name: lock-migrations
-- One writer at a time, and this is it.
SELECT 1

-- name: unlock-migrations
SELECT 1

-- name: has-migrations
SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '${prefix}migration'

-- name: examine
SELECT 'WARNING', printf('%d of %d MB of the file are unused.', f.freelist_count * s.page_size / 1000000,
  p.page_count * s.page_size / 1000000), 'VACUUM makes it smaller, while nobody else writes.'
FROM pragma_freelist_count f, pragma_page_count p, pragma_page_size s
WHERE f.freelist_count * 2 > p.page_count AND f.freelist_count * s.page_size > 100000000

-- name: copy-file
VACUUM INTO ?

-- name: bytes-in-use
SELECT (p.page_count - f.freelist_count) * s.page_size FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s

-- name: check-pages
PRAGMA quick_check(1)

-- name: leave-wal-mode
PRAGMA journal_mode = DELETE

-- name: count-live-tasks
SELECT count(*) FROM ${prefix}task

-- name: living-sessions
SELECT id FROM ${prefix}session WHERE disconnected IS NULL AND heard + dead_after > ? ORDER BY id

-- name: disconnect-all
-- disconnected = 1 microsecond after 1970: every grace period is over.
UPDATE ${prefix}session SET disconnected = 1, grace = 0, waiting = NULL
