-- The fast path of puts: one statement, which FastPath runs.
--
-- All statements of the fast path are planned once, possibly on empty tables without statistics. So they leave the planner no choice
-- that would be slow on full tables: = ANY (...) instead of joins, whose order could be turned round; expressions such as state + 0,
-- which keep a partial index out; comparisons of rows, which keep the primary key out.

-- fragment: put_plain
-- Inserts nothing unless every queue still has the revision that the process has cached.
WITH n AS MATERIALIZED (
  SELECT ${now} AS now WHERE NOT EXISTS (
    SELECT 1 FROM unnest(:queues::bigint[], :revisions::bigint[]) k (id, revision)
    WHERE NOT EXISTS (
      SELECT 1 FROM ${prefix}queue q WHERE q.id = k.id AND q.revision = k.revision AND q.live + 0 = 1)))
INSERT INTO ${prefix}task (queue_id, state, priority, created, due, expires, ttr, task_key, content_type, payload)
SELECT p.queue_id, CASE WHEN p.delay > 0 THEN ${SCHEDULED} ELSE ${READY} END, p.priority, n.now, n.now + p.delay,
  n.now + p.delay + p.ttl, p.ttr, p.task_key, p.content_type, p.payload
FROM n CROSS JOIN unnest(
  :queue_ids::bigint[], :priorities::int[], :delays::bigint[], :ttls::bigint[], :ttrs::bigint[], :task_keys::text[],
  :content_types::text[], :payloads::bytea[])
  WITH ORDINALITY p (queue_id, priority, delay, ttl, ttr, task_key, content_type, payload, n)
ORDER BY p.n
RETURNING id, state, timer_at

-- name: put-at-once
${put_plain}

-- name: put-and-announce
WITH put AS (${put_plain})
SELECT id, state, timer_at, pg_notify(:channel, :beginning || id) FROM put
