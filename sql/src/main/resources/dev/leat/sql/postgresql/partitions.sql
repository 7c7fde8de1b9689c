-- The partitions of finished tasks, one for each purge day.

-- name: old-finished
-- Only tasks of the default partition. Other partitions are dropped as a whole.
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
-- An attached partition takes rows away from the default partition, so no other transaction may write there.
LOCK TABLE ${prefix}finished_rest IN ACCESS EXCLUSIVE MODE

-- name: is-rest-large
SELECT CASE WHEN pg_relation_size('${prefix}finished_rest') > 64000000
  OR EXISTS (SELECT 1 FROM ${prefix}finished_rest WHERE hidden_at >= ? AND hidden_at < ? OFFSET ?) THEN 1 ELSE 0 END

-- name: schema-of-finished
SELECT quote_ident(n.nspname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = '${prefix}finished'::regclass

-- name: make-partition
CREATE TABLE {schema}.${name}finished_day_{day} (LIKE ${prefix}finished INCLUDING ALL);

WITH moved AS (DELETE FROM ${prefix}finished_rest WHERE hidden_at >= {from} AND hidden_at < {to} RETURNING *)
INSERT INTO {schema}.${name}finished_day_{day} SELECT * FROM moved;

ALTER TABLE ${prefix}finished ATTACH PARTITION {schema}.${name}finished_day_{day} FOR VALUES FROM ({from}) TO ({to})

-- name: tried-of-day
SELECT f.hidden_at, f.id FROM ${prefix}finished f
WHERE (f.hidden_at, f.id) > (?, ?) AND f.hidden_at < ? AND (f.attempts <> 1 OR f.state <> ${DONE})
ORDER BY f.hidden_at, f.id LIMIT ?

-- name: count-of-day
SELECT count(*) FROM (SELECT 1 FROM ${prefix}finished WHERE hidden_at >= ? AND hidden_at < ? LIMIT ?) c

-- name: drop-partition
DROP TABLE {partition}

-- name: delete-some-of-day
DELETE FROM ${prefix}finished WHERE hidden_at >= ? AND hidden_at < ? AND id = ANY (ARRAY (
  SELECT id FROM ${prefix}finished WHERE hidden_at >= ? AND hidden_at < ? ORDER BY id LIMIT ?))
