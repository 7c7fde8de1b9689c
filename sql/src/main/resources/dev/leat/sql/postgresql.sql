-- PostgreSQL: READ COMMITTED. Each statement sees what was committed before it; rows that are going to be changed are locked.

-- name: new-ids
SELECT nextval('${prefix}task_id_seq') FROM generate_series(1, ?)

-- name: last-id
SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${prefix}task_id_seq

-- name: last-group-id
SELECT lastval()

-- name: enter-key
INSERT INTO ${prefix}key_lease (queue_id, task_key, task_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: insert-new-idempotency
INSERT INTO ${prefix}idempotency (queue_id, idempotency, task_id, known_until, fingerprint) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: hold-equivalence
-- Whoever else puts something that does the same waits here until we are done; task_id means nothing in such a row. At REPEATABLE
-- READ a row that was written since the transaction began is refused with 40001.
INSERT INTO ${prefix}idempotency AS held (queue_id, idempotency, task_id, known_until) VALUES (?, ?, 0, ?)
ON CONFLICT (queue_id, idempotency) DO UPDATE
SET known_until = CASE WHEN held.known_until = ? THEN excluded.known_until ELSE held.known_until END

-- name: acquire-lock
INSERT INTO ${prefix}lock (name, holder, held_until) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- fragment: in_ids
= ANY (?)

-- name: live-tasks
SELECT ${live_columns} FROM ${prefix}task t WHERE t.id = ANY (?)

-- name: lock-tasks
-- In the order of the ids, so that two of these never wait for each other.
SELECT ${live_columns} FROM ${prefix}task t WHERE t.id = ANY (?) ORDER BY t.id FOR UPDATE

-- name: standings
SELECT ${standing} FROM ${prefix}task t WHERE t.id = ANY (?)

-- name: finished-standings
SELECT ${finished_standing} FROM ${prefix}finished t WHERE t.id = ANY (?) AND (t.hidden_at > ? OR t.finished_at > ?)

-- name: update-task
-- What was in the table before it became ready is in the lane of those who came back.
UPDATE ${prefix}task SET
  state = ?, place = ?, due = ?, previous_due = ?, expires = ?, attempts = ?, failures = ?, losses = ?, releases = ?,
  group_id = ?, nonce = ?, session_id = ?, taken_at = ?, lease_until = ?, revoke_at = ?, settled_nonce = ?,
  settled_by = ?, message = ?, error_code = ?, spread = ?, lane = 1
WHERE id = ?

-- fragment: lanes
(VALUES (0::smallint), (1::smallint)) l (lane)

-- name: next-priority
SELECT min(t.priority) FROM ${lanes} CROSS JOIN LATERAL (
  SELECT priority FROM ${prefix}task
  WHERE queue_id = ? AND lane = l.lane AND state = ${READY} AND priority > ? AND priority <= ?
  ORDER BY priority LIMIT 1) t
HAVING min(t.priority) IS NOT NULL

-- name: take-oldest
SELECT ${live_columns} FROM ${lanes} CROSS JOIN LATERAL (
  SELECT * FROM ${prefix}task
  WHERE queue_id = ? AND lane = l.lane AND state = ${READY} AND priority <= ?
  ORDER BY priority, place, id LIMIT ? FOR UPDATE SKIP LOCKED) t
ORDER BY t.priority, t.place, t.id

-- name: take-newest
SELECT ${live_columns} FROM ${lanes} CROSS JOIN LATERAL (
  SELECT * FROM ${prefix}task
  WHERE queue_id = ? AND lane = l.lane AND state = ${READY} AND priority = ?
  ORDER BY place DESC, id DESC LIMIT ? FOR UPDATE SKIP LOCKED) t
ORDER BY t.place DESC, t.id DESC

-- name: strays
SELECT ${live_columns} FROM ${lanes} CROSS JOIN LATERAL (
  SELECT * FROM ${prefix}task
  WHERE queue_id = ? AND lane = l.lane AND state = ${READY} AND priority = ? AND place >= 0
  ORDER BY place, id LIMIT ? FOR UPDATE SKIP LOCKED) t

-- The hot ways: one statement each, see Shortcuts and QuickTakes. They are planned once, when the tables may be empty and no statistics are
-- worth anything, so no way is left open that would be slow on full ones: rows are found by = ANY (…) instead of a join,
-- whose order could be turned round; an expression such as state + 0 keeps a partial index out, and a comparison of rows
-- the primary key.

-- fragment: put_plain
-- Nothing is put unless every queue is as the caller knows it.
WITH n AS MATERIALIZED (
  SELECT ${now} AS now WHERE NOT EXISTS (
    SELECT 1 FROM unnest(?::bigint[], ?::bigint[]) k (id, revision)
    WHERE NOT EXISTS (
      SELECT 1 FROM ${prefix}queue q WHERE q.id = k.id AND q.revision = k.revision AND q.live + 0 = 1)))
INSERT INTO ${prefix}task (queue_id, state, priority, created, due, expires, ttr, task_key, content_type, payload)
SELECT p.queue_id, CASE WHEN p.delay > 0 THEN ${SCHEDULED} ELSE ${READY} END, p.priority, n.now, n.now + p.delay,
  n.now + p.delay + p.ttl, p.ttr, p.task_key, p.content_type, p.payload
FROM n CROSS JOIN unnest(
  ?::bigint[], ?::int[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::bytea[])
  WITH ORDINALITY p (queue_id, priority, delay, ttl, ttr, task_key, content_type, payload, n)
ORDER BY p.n
RETURNING id, state, timer_at

-- name: put-at-once
${put_plain}

-- name: put-and-announce
WITH put AS (${put_plain})
SELECT id, state, timer_at, pg_notify(?, ? || id) FROM put

-- fragment: taken_columns
-- The order is known to TaskRowMapper. Whatever few tasks have is in one array: each column of a row that is copied from node to
-- node costs time, also if it is NULL.
t.id, t.priority, t.created, t.due, t.expires, t.ttr, t.attempts, t.lease_until, t.task_key, t.content_type, t.payload,
CASE WHEN ${is_rare} OR t.group_id IS NOT NULL OR t.failures + t.losses + t.releases > 0
THEN ARRAY[
  t.address, t.type, t.tenant, t.business_group, t.origin, t.destination, t.external_key, t.payload_hash, t.tags, t.trace,
  t.dead_of::text, t.message, t.error_code::text, t.previous_due::text, t.own_ttr::text, t.publication_id::text, t.subscriber,
  t.group_id::text, t.failures::text, t.losses::text, t.releases::text] END AS rare_texts

-- fragment: nothing_taken
-- In place of the taken_columns after the second.
NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL

-- fragment: take_begin
-- The queue is as the caller knows it; the session lives, and cannot be ended before the leases can be seen.
WITH s AS MATERIALIZED (SELECT 1 FROM ${prefix}session WHERE id = ? FOR KEY SHARE),
g AS MATERIALIZED (
  SELECT q.id AS queue_id, ${now} AS now FROM ${prefix}queue q
  WHERE q.id = ? AND q.revision = ? AND q.live + 0 = 1 AND (CAST(? AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM s))),

-- fragment: fresh_from_marks
fresh AS MATERIALIZED (
  SELECT f.* FROM g
    CROSS JOIN unnest(?::int[], ?::bigint[], ?::bigint[]) m (priority, after, below)
    CROSS JOIN LATERAL (
      SELECT ${candidate}, 0 AS lane FROM ${prefix}task t
      WHERE t.queue_id = g.queue_id AND t.lane = 0 AND t.state = ${READY}
        AND (t.priority, t.place, t.id) > (m.priority, 0, m.after) AND t.priority < m.below
      ORDER BY t.priority, t.place, t.id LIMIT ? FOR UPDATE SKIP LOCKED) f
  LIMIT ?),

-- fragment: fresh_from_head
fresh AS MATERIALIZED (
  SELECT f.* FROM g CROSS JOIN LATERAL (
    SELECT ${candidate}, 0 AS lane FROM ${prefix}task t
    WHERE t.queue_id = g.queue_id AND t.lane = 0 AND t.state = ${READY} AND t.priority <= ?
    ORDER BY t.priority, t.place, t.id LIMIT ? FOR UPDATE SKIP LOCKED) f),

-- fragment: candidate
t.id, t.ctid AS row_place, t.priority, t.task_key

-- fragment: last_fresh
-- Where it ends if there are enough of them. Of what came back only those before it matter, and no others are locked.
l AS MATERIALIZED (
  SELECT coalesce(max(priority), 2147483647) AS priority,
    CASE WHEN count(*) = 0 THEN 9223372036854775807 ELSE 0 END AS place, coalesce(max(id), 9223372036854775807) AS id
  FROM (SELECT priority, id FROM fresh OFFSET ? LIMIT 1) f),

-- fragment: came_back
t.queue_id = g.queue_id AND t.lane = 1 AND t.state = ${READY} AND t.priority <= ?
    AND (t.priority, t.place, t.id) < (l.priority, l.place, l.id)

-- fragment: lease
UPDATE ${prefix}task t
SET state = ${TAKEN}, attempts = t.attempts + 1, nonce = ?, session_id = ?, taken_at = (SELECT now FROM g),
  lease_until = (SELECT now FROM g)
    + coalesce(CAST(? AS BIGINT), t.ttr, CASE WHEN CAST(? AS TEXT) IS NULL THEN ${sessionless_ttr} END)

-- fragment: last_row
-- It says that queue and session are as the caller knows them, also when there is nothing to take.
SELECT NULL, NULL, ${nothing_taken}, NULL, NULL FROM g

-- fragment: take_by_keys
-- The answer comes in no order: to sort whole rows here would cost a tenth of the take.
-- What came back is read from the head of its own lane, and both are merged.
${last_fresh}
back AS MATERIALIZED (
  SELECT b.* FROM g CROSS JOIN l CROSS JOIN LATERAL (
    SELECT ${candidate}, 1 AS lane FROM ${prefix}task t
    WHERE ${came_back}
    ORDER BY t.priority, t.place, t.id LIMIT ? FOR UPDATE SKIP LOCKED) b),
c AS MATERIALIZED (
  SELECT * FROM fresh UNION ALL SELECT * FROM back ORDER BY priority, id LIMIT ?),
-- Of each key the first; not if one before it is missing here, because another take has it locked.
best AS MATERIALIZED (
  SELECT DISTINCT ON (c.task_key) c.id, c.task_key, g.queue_id, NOT EXISTS (
    SELECT 1 FROM ${prefix}task t
    WHERE t.queue_id = g.queue_id AND t.task_key = c.task_key AND t.task_key IS NOT NULL
      AND t.state IN (${WAITING_KEY}, ${READY}) AND (t.priority, t.id) < (c.priority, c.id)) AS first
  FROM c CROSS JOIN g WHERE c.task_key IS NOT NULL
  ORDER BY c.task_key, c.priority, c.id),
-- Enters a free key, or keeps a busy one from being freed before the rows behind it are seen waiting.
entered AS (
  INSERT INTO ${prefix}key_lease AS l (queue_id, task_key, task_id)
  SELECT queue_id, task_key, id FROM best WHERE first
  ON CONFLICT (queue_id, task_key) DO UPDATE SET task_id = l.task_id
  RETURNING l.task_key, l.task_id),
held AS (
  UPDATE ${prefix}key_lease l SET task_id = l.task_id
  WHERE l.queue_id = (SELECT queue_id FROM g) AND l.task_key = ANY (ARRAY (SELECT task_key FROM best WHERE NOT first))
  RETURNING l.task_key),
parked AS (
  UPDATE ${prefix}task t SET state = ${WAITING_KEY}
  WHERE t.id = ANY (ARRAY (
    SELECT c.id FROM c
    WHERE c.task_key IS NOT NULL AND c.id NOT IN (SELECT task_id FROM entered)
      AND (c.task_key IN (SELECT task_key FROM entered) OR c.task_key IN (SELECT task_key FROM held))))
  RETURNING t.id),
taken AS (
  ${lease}
  WHERE t.id = ANY (ARRAY (
    SELECT c.id FROM c WHERE c.task_key IS NULL OR c.id IN (SELECT task_id FROM entered)))
  RETURNING ${taken_columns}, t.lane)
SELECT *, NULL AS busy_key FROM taken
UNION ALL
-- Those that were not taken, with nothing but their places, and their keys if they were parked.
SELECT c.id, c.priority, ${nothing_taken}, c.lane, CASE WHEN c.id IN (SELECT id FROM parked) THEN c.task_key END
FROM c WHERE c.task_key IS NOT NULL AND c.id NOT IN (SELECT task_id FROM entered)
UNION ALL
-- Those that were locked in vain, because more important ones came back.
SELECT min(id), priority, ${nothing_taken}, 2, NULL FROM fresh
WHERE EXISTS (SELECT 1 FROM back) AND id NOT IN (SELECT id FROM c) GROUP BY priority
UNION ALL
${last_row}

-- name: take-from-marks
${take_begin}
${fresh_from_marks}
${take_by_keys}

-- name: take-from-head
${take_begin}
${fresh_from_head}
${take_by_keys}

-- fragment: take_plain
-- If one of the tasks has a key, or another that came back would be before them, it takes none. It has no keys to enter and
-- nothing to merge, so that it costs much less at its start. Rows are found again by their place; one that was changed since
-- the statement began has another, and is left for a later read from the head.
${last_fresh}
others AS MATERIALIZED (
  SELECT id, priority, lane FROM fresh WHERE task_key IS NOT NULL
  UNION ALL
  SELECT b.* FROM g CROSS JOIN l CROSS JOIN LATERAL (
    SELECT t.id, t.priority, 1 AS lane FROM ${prefix}task t
    WHERE ${came_back}
    ORDER BY t.priority, t.place, t.id LIMIT 1) b),
taken AS (
  ${lease}
  WHERE t.ctid = ANY (ARRAY (SELECT row_place FROM fresh)) AND NOT EXISTS (SELECT 1 FROM others)
  RETURNING ${taken_columns}, t.lane)
SELECT *, NULL AS busy_key FROM taken
UNION ALL
SELECT id, priority, ${nothing_taken}, lane, NULL FROM fresh WHERE EXISTS (SELECT 1 FROM others)
UNION ALL
SELECT id, priority, ${nothing_taken}, lane, NULL FROM others WHERE lane = 1
UNION ALL
${last_row}

-- name: take-plain-from-marks
${take_begin}
${fresh_from_marks}
${take_plain}

-- name: take-plain-from-head
${take_begin}
${fresh_from_head}
${take_plain}

-- name: park-in-line
-- Parks fresh tasks of keys that are still busy, from one on that was parked to the first that is something else: as takes of
-- one task would meet them, but without a statement for each. Held, a key cannot be freed before the rows are seen waiting;
-- rows that others have locked are skipped, since those may wait for the key.
WITH held AS MATERIALIZED (
  SELECT task_key FROM ${prefix}key_lease WHERE queue_id = ? AND task_key = ANY (?::text[]) FOR UPDATE),
b AS MATERIALIZED (
  SELECT coalesce(min(priority), 2147483647) AS priority, coalesce(min(id), 9223372036854775807) AS id FROM (
    SELECT t.priority, t.id FROM ${prefix}task t
    WHERE t.queue_id = ? AND t.lane = 1 AND t.state = ${READY}
    ORDER BY t.priority, t.place, t.id LIMIT 1) back),
line AS MATERIALIZED (
  SELECT t.id, t.priority, t.task_key FROM ${prefix}task t
  WHERE t.queue_id = ? AND t.lane = 0 AND t.state = ${READY}
    AND (t.priority, t.place, t.id) > (?, 0, ?) AND t.priority <= ?
  ORDER BY t.priority, t.place, t.id LIMIT ?),
met AS MATERIALIZED (
  SELECT line.id, bool_and((line.priority, line.id) < (b.priority, b.id)
    AND coalesce(line.task_key = ANY (ARRAY (SELECT task_key FROM held)), false)) OVER (ORDER BY line.priority, line.id) AS waits
  FROM line CROSS JOIN b),
locked AS MATERIALIZED (
  SELECT t.id FROM ${prefix}task t
  WHERE t.id = ANY (ARRAY (SELECT id FROM met WHERE waits)) AND t.state + 0 = ${READY} FOR UPDATE SKIP LOCKED)
UPDATE ${prefix}task t SET state = ${WAITING_KEY} WHERE t.id = ANY (ARRAY (SELECT id FROM locked)) RETURNING t.priority, t.id

-- fragment: acked_at_once
-- Deliveries that concern nobody else: no key to pass on, no group to end, no wish to cancel, no subscribers.
t.id = ANY (?::bigint[]) AND t.state + 0 = ${TAKEN} AND t.task_key IS NULL AND t.group_id IS NULL AND t.revoke_at IS NULL
    AND (t.publication_id IS NULL OR t.publication_id <> 0)
    AND CASE WHEN (t.id, t.nonce) IN (SELECT * FROM unnest(?::bigint[], ?::bigint[])) THEN true ELSE false END

-- name: ack-and-forget
-- Of queues that forget their tasks at once: they only remember that these were acknowledged. It leaves tasks that have an
-- address, or attempts that go with them.
WITH d AS (
  DELETE FROM ${prefix}task t
  WHERE ${acked_at_once} AND t.address IS NULL AND t.attempts = 1 AND t.queue_id = ANY (ARRAY (
    SELECT q.id FROM ${prefix}queue q WHERE q.id = ANY (?::bigint[]) AND q.keep_done = 0))
  RETURNING t.id, t.queue_id, t.nonce),
forgotten AS (
  INSERT INTO ${prefix}settled (nonce, queue_id, settled_at, task_ids)
  SELECT nonce, queue_id, ${now}, range_agg(int8range(id, id, '[]')) FROM d GROUP BY nonce, queue_id)
SELECT id, queue_id FROM d

-- name: ack-at-once
-- Of all queues. Rows are copied as a whole, in case they are kept. It answers a negative queue where a task has an address, at which
-- others may wait for its end.
WITH n AS MATERIALIZED (SELECT ${now} AS now),
d AS (
  DELETE FROM ${prefix}task t
  WHERE ${acked_at_once}
  RETURNING t.*),
queues AS MATERIALIZED (SELECT * FROM ${prefix}queue WHERE id = ANY (ARRAY (SELECT DISTINCT queue_id FROM d))),
kept AS (
  INSERT INTO ${prefix}finished (
    id, queue_id, state, finished_at, hidden_at, priority, created, due, previous_due, expires, ttr, attempts, failures,
    losses, releases, settled_nonce, settled_by, address, type, tenant, business_group, origin, destination,
    external_key, payload_hash, tags, trace, dead_of, publication_id, subscriber, error_code, content_type, payload)
  SELECT
    d.id, d.queue_id, ${DONE}, n.now, n.now + q.keep_done, d.priority, d.created, d.due, d.previous_due, d.expires, d.ttr,
    d.attempts, d.failures, d.losses, d.releases, d.nonce, ${settled_by_ack}, d.address, d.type, d.tenant,
    d.business_group, d.origin, d.destination, d.external_key, d.payload_hash, d.tags, d.trace, d.dead_of,
    d.publication_id, d.subscriber, 0,
    CASE WHEN q.keep_payload = 1 OR coalesce(length(d.payload), 0) = 0 THEN d.content_type ELSE '${no_content_type}' END,
    CASE WHEN q.keep_payload = 1 THEN d.payload END
  FROM d CROSS JOIN LATERAL (SELECT * FROM queues WHERE id = d.queue_id OFFSET 0) q CROSS JOIN n
  WHERE q.keep_done > 0 OR d.address IS NOT NULL OR d.attempts > 1),
forgotten AS (
  INSERT INTO ${prefix}settled (nonce, queue_id, settled_at, task_ids)
  SELECT d.nonce, d.queue_id, n.now, range_agg(int8range(d.id, d.id, '[]'))
  FROM d CROSS JOIN LATERAL (SELECT * FROM queues WHERE id = d.queue_id OFFSET 0) q CROSS JOIN n
  WHERE q.keep_done = 0 AND d.address IS NULL AND d.attempts = 1 GROUP BY d.nonce, d.queue_id, n.now)
SELECT id, CASE WHEN address IS NULL THEN queue_id ELSE -queue_id END FROM d

-- name: forgotten-ack
SELECT q.name FROM ${prefix}settled s JOIN ${prefix}queue q ON q.id = s.queue_id
WHERE s.nonce = ? AND s.task_ids @> CAST(? AS BIGINT)

-- name: purge-forgotten-acks
DELETE FROM ${prefix}settled WHERE ctid = ANY (ARRAY (SELECT ctid FROM ${prefix}settled WHERE settled_at <= ? LIMIT ?))

-- name: old-finished
-- Whole days are dropped with their partition.
SELECT f.id FROM ${prefix}finished_rest f
WHERE f.queue_id = ? AND f.state = ? AND f.hidden_at <= ? AND f.finished_at <= ? ORDER BY f.hidden_at LIMIT ?

-- name: delete-finished
DELETE FROM ${prefix}finished_rest WHERE id = ?

-- name: partitions
SELECT right(c.relname, 8), c.oid::regclass::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = '${prefix}finished'::regclass AND c.relname ~ '_day_[0-9]{8}$'

-- name: lock-partitions
SELECT pg_try_advisory_xact_lock(hashtextextended('leat partitions of ${prefix}', 0))::int

-- name: lock-rest
-- An attached partition takes days away from the rest, so nobody may be about to write there.
LOCK TABLE ${prefix}finished_rest IN ACCESS EXCLUSIVE MODE

-- name: is-rest-large
SELECT CASE WHEN pg_relation_size('${prefix}finished_rest') > 64000000
  OR EXISTS (SELECT 1 FROM ${prefix}finished_rest WHERE hidden_at >= ? AND hidden_at < ? OFFSET ?) THEN 1 ELSE 0 END

-- name: schema-of-finished
SELECT quote_ident(n.nspname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = '${prefix}finished'::regclass

-- name: make-partition
CREATE TABLE :schema.${name}finished_day_:day (LIKE ${prefix}finished INCLUDING ALL);

WITH moved AS (DELETE FROM ${prefix}finished_rest WHERE hidden_at >= :from AND hidden_at < :to RETURNING *)
INSERT INTO :schema.${name}finished_day_:day SELECT * FROM moved;

ALTER TABLE ${prefix}finished ATTACH PARTITION :schema.${name}finished_day_:day FOR VALUES FROM (:from) TO (:to)

-- name: tried-of-day
SELECT f.hidden_at, f.id FROM ${prefix}finished f
WHERE (f.hidden_at, f.id) > (?, ?) AND f.hidden_at < ? AND (f.attempts <> 1 OR f.state <> ${DONE})
ORDER BY f.hidden_at, f.id LIMIT ?

-- name: count-of-day
SELECT count(*) FROM (SELECT 1 FROM ${prefix}finished WHERE hidden_at >= ? AND hidden_at < ? LIMIT ?) c

-- name: drop-partition
DROP TABLE :partition

-- name: delete-some-of-day
DELETE FROM ${prefix}finished WHERE hidden_at >= ? AND hidden_at < ? AND id = ANY (ARRAY (
  SELECT id FROM ${prefix}finished WHERE hidden_at >= ? AND hidden_at < ? ORDER BY id LIMIT ?))

-- name: heartbeat-at-once
-- A heartbeat that a crash of the server forgets is worth no wait for the disk.
WITH lax AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
beat AS (
  UPDATE ${prefix}session s SET heard = ${now}, waiting = ?, disconnected = NULL FROM lax WHERE s.id = ? RETURNING s.id)
SELECT t.id, t.nonce FROM beat LEFT JOIN LATERAL (
  SELECT id, nonce FROM ${prefix}task WHERE session_id = beat.id AND revoke_at IS NOT NULL OFFSET 0) t ON true

-- name: count-live
-- State by state: no index has them all.
SELECT count(*) FROM (
  SELECT 1 FROM (SELECT CAST(? AS BIGINT) AS id) q CROSS JOIN LATERAL (
    SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${WAITING_GROUP}
    UNION ALL SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${SCHEDULED}
    UNION ALL SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND task_key IS NOT NULL AND state = ${WAITING_KEY}
    UNION ALL SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${READY}
    UNION ALL SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${TAKEN}
    UNION ALL SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${BURIED}) t
  LIMIT ?) c

-- name: wanting-subscriptions
-- Ordered by an expression: with statistics of a table that was empty once, the planner preferred to read all subscriptions in the
-- order of their ids to those of one topic.
SELECT s.id, s.topic, s.queue FROM ${prefix}subscription s
WHERE s.topic = ? AND s.active = 1 AND (s.tenant IS NULL OR s.tenant = ?)
  AND (s.business_group IS NULL OR s.business_group = ?)
ORDER BY s.id || ''

-- name: notify
-- Commits like a heartbeat: a message that a crash of the server forgets would have reached nobody.
SELECT pg_notify(?, message), set_config('synchronous_commit', 'off', true) FROM unnest(?::text[]) message

-- name: notify-sleepers
-- Part of the caller's transaction, whose commit it slows down: so only if somebody was heard to wait.
SELECT pg_notify(?, ?) WHERE EXISTS (
  SELECT 1 FROM ${prefix}session WHERE waiting IS NOT NULL AND jsonb_exists(waiting::jsonb, ?))

-- name: examine
-- Whoever keeps the server from cleaning up behind the queue, and what piled up meanwhile.
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
