-- Queues.

-- name: queue-revision
SELECT id, revision FROM ${prefix}queue WHERE name = ? AND live = 1

-- name: queue-revision-by-id
SELECT revision FROM ${prefix}queue WHERE id = ?

-- name: queue-by-id
SELECT id, name, options, paused, set_by, revision FROM ${prefix}queue WHERE id = ?

-- name: queues
SELECT id, name, options, paused, set_by, revision FROM ${prefix}queue WHERE live = 1 ORDER BY name

-- name: queue-ids
-- With dropped queues, whose finished tasks are purged too.
SELECT id FROM ${prefix}queue

-- name: insert-queue
INSERT INTO ${prefix}queue (name, options, keep_done, keep_payload, set_by) VALUES (?, ?, ?, ?, ?)

-- name: change-queue
UPDATE ${prefix}queue SET options = ?, keep_done = ?, keep_payload = ?, set_by = ?, revision = revision + 1 WHERE id = ?

-- name: lock-queue
SELECT id FROM ${prefix}queue WHERE id = ? ${for_update}

-- name: pause-queue
UPDATE ${prefix}queue SET paused = ?, revision = revision + 1 WHERE id = ?

-- name: drop-queue
UPDATE ${prefix}queue SET live = NULL, revision = revision + 1 WHERE id = ?

-- name: dropped-queues
SELECT id, name, options, paused, set_by, revision FROM ${prefix}queue WHERE live IS NULL

-- name: forget-queue
-- Only if no task refers to the queue. Tests each state separately, because no index has all states.
DELETE FROM ${prefix}queue WHERE id = ? AND live IS NULL
  AND NOT EXISTS (SELECT 1 FROM ${prefix}finished f WHERE f.queue_id = ${prefix}queue.id)
  AND NOT EXISTS (SELECT 1 FROM ${prefix}task t WHERE t.queue_id = ${prefix}queue.id AND t.state = ${WAITING_GROUP})
  AND NOT EXISTS (SELECT 1 FROM ${prefix}task t WHERE t.queue_id = ${prefix}queue.id AND t.state = ${SCHEDULED})
  AND NOT EXISTS (SELECT 1 FROM ${prefix}task t WHERE t.queue_id = ${prefix}queue.id AND t.task_key IS NOT NULL
    AND t.state = ${WAITING_KEY})
  AND NOT EXISTS (SELECT 1 FROM ${prefix}task t WHERE t.queue_id = ${prefix}queue.id AND t.state = ${READY})
  AND NOT EXISTS (SELECT 1 FROM ${prefix}task t WHERE t.queue_id = ${prefix}queue.id AND t.state = ${TAKEN})
  AND NOT EXISTS (SELECT 1 FROM ${prefix}task t WHERE t.queue_id = ${prefix}queue.id AND t.state = ${BURIED})

-- name: take-keys-of-queue
-- The values by which takes order and filter, for tasks that were put before the options changed.
SELECT t.id, t.type, t.tags, t.due, t.tenant FROM ${prefix}task t WHERE t.queue_id = ?

-- name: set-take-keys
UPDATE ${prefix}task SET place = ?, random = ?, take_type = ?, spread = ? WHERE id = ?

-- name: taken-of-queue
SELECT t.id FROM ${prefix}task t WHERE t.queue_id = ? AND t.state = ${TAKEN} ORDER BY t.id

-- name: live-of-queue
-- Reads each state separately, because no index has all states.
SELECT id FROM ${prefix}task WHERE queue_id = :queue_id AND state = ${WAITING_GROUP}
UNION ALL SELECT id FROM ${prefix}task WHERE queue_id = :queue_id AND state = ${SCHEDULED}
UNION ALL SELECT id FROM ${prefix}task WHERE queue_id = :queue_id AND task_key IS NOT NULL AND state = ${WAITING_KEY}
UNION ALL SELECT id FROM ${prefix}task WHERE queue_id = :queue_id AND state = ${READY}
UNION ALL SELECT id FROM ${prefix}task WHERE queue_id = :queue_id AND state = ${TAKEN}
UNION ALL SELECT id FROM ${prefix}task WHERE queue_id = :queue_id AND state = ${BURIED}
ORDER BY id

-- name: buried-of-queue
SELECT t.id, t.priority FROM ${prefix}task t
WHERE t.queue_id = ? AND t.state = ${BURIED} AND t.priority >= ? AND (t.priority, t.id) > (?, ?)
ORDER BY t.priority, t.id LIMIT ${limit}
