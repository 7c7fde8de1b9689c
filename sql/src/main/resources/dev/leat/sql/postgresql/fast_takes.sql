-- The fast path of takes: one statement, which FastTakes runs. See fast_puts.sql for its rules.

-- fragment: taken_columns
-- TaskRowMapper reads the columns in this order. One array has the values that few tasks have: each column of a row costs time in each node
-- of the plan, even if it is NULL.
t.id, t.priority, t.created, t.due, t.expires, t.ttr, t.attempts, t.lease_until, t.task_key, t.content_type, t.payload,
CASE WHEN ${has_optional_columns} OR t.group_id IS NOT NULL OR t.failures + t.losses + t.releases > 0
THEN ARRAY[
  t.address, t.type, t.tenant, t.business_group, t.origin, t.destination, t.external_key, t.payload_hash, t.tags, t.trace,
  t.dead_of::text, t.message, t.error_code::text, t.previous_due::text, t.own_ttr::text, t.publication_id::text, t.subscriber,
  t.group_id::text, t.failures::text, t.losses::text, t.releases::text] END AS optional_texts

-- fragment: nothing_taken
-- NULLs for the taken_columns after the second.
NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL

-- fragment: take_begin
-- Reads the queue if it still has the cached revision, and keeps the session from ending before its leases are visible.
WITH s AS MATERIALIZED (SELECT 1 FROM ${prefix}session WHERE id = :session FOR KEY SHARE),
g AS MATERIALIZED (
  SELECT q.id AS queue_id, ${now} AS now FROM ${prefix}queue q

  WHERE q.id = :queue_id AND q.revision = :revision AND q.live + 0 = 1 AND (CAST(:session AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM s))),

-- fragment: fresh_from_watermarks
fresh AS MATERIALIZED (
  SELECT f.* FROM g
    CROSS JOIN unnest(:priorities::int[], :after::bigint[], :below::bigint[]) m (priority, after, below)
    CROSS JOIN LATERAL (
      SELECT ${candidate}, 0 AS lane FROM ${prefix}task t
      WHERE t.queue_id = g.queue_id AND t.lane = 0 AND t.state = ${READY}
        AND (t.priority, t.place, t.id) > (m.priority, 0, m.after) AND t.priority < m.below
      ORDER BY t.priority, t.place, t.id LIMIT :limit FOR UPDATE SKIP LOCKED) f
  LIMIT :limit),

-- fragment: fresh_from_head
fresh AS MATERIALIZED (
  SELECT f.* FROM g CROSS JOIN LATERAL (
    SELECT ${candidate}, 0 AS lane FROM ${prefix}task t
    WHERE t.queue_id = g.queue_id AND t.lane = 0 AND t.state = ${READY} AND t.priority <= :max_priority
    ORDER BY t.priority, t.place, t.id LIMIT :limit FOR UPDATE SKIP LOCKED) f),

-- fragment: candidate
t.id, t.ctid AS row_place, t.priority, t.task_key

-- fragment: last_fresh
-- The end of the fresh rows if there are enough of them. Of the tasks that came back, only those before it are locked.
l AS MATERIALIZED (
  SELECT coalesce(max(priority), 2147483647) AS priority,
    CASE WHEN count(*) = 0 THEN 9223372036854775807 ELSE 0 END AS place, coalesce(max(id), 9223372036854775807) AS id
  FROM (SELECT priority, id FROM fresh OFFSET :last LIMIT 1) f),

-- fragment: came_back
t.queue_id = g.queue_id AND t.lane = 1 AND t.state = ${READY} AND t.priority <= :max_priority
    AND (t.priority, t.place, t.id) < (l.priority, l.place, l.id)

-- fragment: lease
UPDATE ${prefix}task t
SET state = ${TAKEN}, attempts = t.attempts + 1, nonce = :nonce, session_id = :session, taken_at = (SELECT now FROM g),
  lease_until = (SELECT now FROM g)
    + coalesce(CAST(:ttr AS BIGINT), t.ttr, CASE WHEN CAST(:session AS TEXT) IS NULL THEN ${sessionless_ttr} END)

-- fragment: last_row
-- Tells the caller that queue and session are valid, even without tasks.
SELECT NULL, NULL, ${nothing_taken}, NULL, NULL FROM g

-- fragment: take_with_keys
-- Merges the fresh rows with the head of the other lane. The result has no order: sorting whole rows would cost a tenth of the take.
${last_fresh}
back AS MATERIALIZED (
  SELECT b.* FROM g CROSS JOIN l CROSS JOIN LATERAL (
    SELECT ${candidate}, 1 AS lane FROM ${prefix}task t
    WHERE ${came_back}
    ORDER BY t.priority, t.place, t.id LIMIT :limit FOR UPDATE SKIP LOCKED) b),
c AS MATERIALIZED (
  SELECT * FROM fresh UNION ALL SELECT * FROM back ORDER BY priority, id LIMIT :limit),
-- The first task of each key, unless a task before it is missing here because another take has locked it.
best AS MATERIALIZED (
  SELECT DISTINCT ON (c.task_key) c.id, c.task_key, g.queue_id, NOT EXISTS (
    SELECT 1 FROM ${prefix}task t
    WHERE t.queue_id = g.queue_id AND t.task_key = c.task_key AND t.task_key IS NOT NULL
      AND t.state IN (${WAITING_KEY}, ${READY}) AND (t.priority, t.id) < (c.priority, c.id)) AS first
  FROM c CROSS JOIN g WHERE c.task_key IS NOT NULL
  ORDER BY c.task_key, c.priority, c.id),
-- Enters a free key. A busy key stays busy until the rows that wait for it are visible.
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
-- The tasks that were not taken: their positions, and their keys if they were parked.
SELECT c.id, c.priority, ${nothing_taken}, c.lane, CASE WHEN c.id IN (SELECT id FROM parked) THEN c.task_key END
FROM c WHERE c.task_key IS NOT NULL AND c.id NOT IN (SELECT task_id FROM entered)
UNION ALL
-- Fresh rows that were locked and skipped in favour of better priorities in the other lane.
SELECT min(id), priority, ${nothing_taken}, 2, NULL FROM fresh
WHERE EXISTS (SELECT 1 FROM back) AND id NOT IN (SELECT id FROM c) GROUP BY priority
UNION ALL
${last_row}

-- name: take-from-watermarks
${take_begin}
${fresh_from_watermarks}
${take_with_keys}

-- name: take-from-head
${take_begin}
${fresh_from_head}
${take_with_keys}

-- fragment: take_plain
-- Takes nothing if one of the tasks has a key, or if a task of the other lane comes before them. Without keys and a merge it has much
-- less start-up cost. Finds rows by ctid: a row that was changed meanwhile has another ctid and stays for a later read from the head.
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

-- name: take-plain-from-watermarks
${take_begin}
${fresh_from_watermarks}
${take_plain}

-- name: take-plain-from-head
${take_begin}
${fresh_from_head}
${take_plain}

-- name: park-in-line
-- Parks fresh tasks of busy keys, from the given position to the first task that is something else. Takes of one task do the same with
-- a statement for each task. The lock on the keys keeps them busy until the parked rows are visible. Skips rows that other
-- transactions have locked, because these can wait for the key.
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
