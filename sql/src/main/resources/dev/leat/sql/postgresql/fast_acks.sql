-- The fast path of acks and heartbeats: one statement, which FastPath runs. See fast_puts.sql for its rules.

-- fragment: acked_at_once
-- Deliveries whose ack changes no other row: no key, group, cancel request or publication.
t.id = ANY (?::bigint[]) AND t.state + 0 = ${TAKEN} AND t.task_key IS NULL AND t.group_id IS NULL AND t.revoke_at IS NULL
    AND (t.publication_id IS NULL OR t.publication_id <> 0)
    AND CASE WHEN (t.id, t.nonce) IN (SELECT * FROM unnest(?::bigint[], ?::bigint[])) THEN true ELSE false END

-- name: ack-and-forget
-- For queues without retention: stores only that the tasks were acknowledged. Leaves tasks that have an address or rows of attempts.
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
-- For all queues. Copies whole rows in case the queue keeps them. Returns a negative queue for a task with an address, whose end
-- callers can wait for.
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

-- name: heartbeat-at-once
-- Commits without waiting for the disk. A crash of the server loses at most a heartbeat.
WITH lax AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
beat AS (
  UPDATE ${prefix}session s SET heard = ${now}, waiting = ?, disconnected = NULL FROM lax WHERE s.id = ? RETURNING s.id)
SELECT t.id, t.nonce FROM beat LEFT JOIN LATERAL (
  SELECT id, nonce FROM ${prefix}task WHERE session_id = beat.id AND revoke_at IS NOT NULL OFFSET 0) t ON true
