-- The general path on PostgreSQL at READ COMMITTED: each statement sees what was committed before it, and locks the rows that the
-- transaction is going to change.

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
-- A concurrent put of an equivalent task waits here until this transaction ends. task_id has no meaning in such a row. At REPEATABLE
-- READ, PostgreSQL refuses with 40001 a row that was written since the transaction began.
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
-- Ordered by id, so that two transactions cannot deadlock here.
SELECT ${live_columns} FROM ${prefix}task t WHERE t.id = ANY (?) ORDER BY t.id FOR UPDATE

-- name: task-statuses
SELECT ${status_columns} FROM ${prefix}task t WHERE t.id = ANY (?)

-- name: finished-statuses
SELECT ${finished_status_columns} FROM ${prefix}finished t WHERE t.id = ANY (?) AND (t.hidden_at > ? OR t.finished_at > ?)

-- name: update-task
-- A row that was in the table before it became READY goes to lane 1.
UPDATE ${prefix}task SET
  state = :state, place = :place, due = :due, previous_due = :previous_due, expires = :expires, attempts = :attempts,
  failures = :failures, losses = :losses, releases = :releases,
  group_id = :group_id, nonce = :nonce, session_id = :session_id, taken_at = :taken_at, lease_until = :lease_until,
  revoke_at = :revoke_at, settled_nonce = :settled_nonce,
  settled_by = :settled_by, message = :message, error_code = :error_code, spread = :spread, lane = 1
WHERE id = :id

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

-- name: ready-without-tenant
SELECT ${live_columns} FROM ${lanes} CROSS JOIN LATERAL (
  SELECT * FROM ${prefix}task
  WHERE queue_id = ? AND lane = l.lane AND state = ${READY} AND priority = ? AND place >= 0
  ORDER BY place, id LIMIT ? FOR UPDATE SKIP LOCKED) t

-- name: count-live
-- Counts each state separately, because no index has all states.
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
-- Ordered by an expression: with statistics from a time when the table was empty, the planner read all subscriptions in the order of
-- their ids instead of those of one topic.
SELECT s.id, s.topic, s.queue FROM ${prefix}subscription s
WHERE s.topic = ? AND s.active = 1 AND (s.tenant IS NULL OR s.tenant = ?)
  AND (s.business_group IS NULL OR s.business_group = ?)
ORDER BY s.id || ''
