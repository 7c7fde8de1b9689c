-- Takes. Each statement reads one range of one index, so tasks that do not match cost nothing.

-- name: take-oldest
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.queue_id = ? AND t.state = ${READY} AND t.priority <= ?
ORDER BY t.priority, t.place, t.id LIMIT ${limit}
${skip_locked}

-- name: take-oldest-of-type
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.queue_id = ? AND t.take_type = ? AND t.take_type IS NOT NULL AND t.state = ${READY} AND t.priority <= ?
ORDER BY t.priority, t.place, t.id LIMIT ${limit}
${skip_locked}

-- name: next-priority
SELECT t.priority FROM ${prefix}task t
WHERE t.queue_id = ? AND t.state = ${READY} AND t.priority > ? AND t.priority <= ?
ORDER BY t.priority LIMIT 1

-- name: next-priority-of-type
SELECT t.priority FROM ${prefix}task t
WHERE t.queue_id = ? AND t.take_type = ? AND t.take_type IS NOT NULL AND t.state = ${READY}
  AND t.priority > ? AND t.priority <= ?
ORDER BY t.priority LIMIT 1

-- name: take-newest
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.queue_id = ? AND t.state = ${READY} AND t.priority = ?
ORDER BY t.place DESC, t.id DESC LIMIT ${limit}
${skip_locked}

-- name: take-newest-of-type
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.queue_id = ? AND t.take_type = ? AND t.take_type IS NOT NULL AND t.state = ${READY} AND t.priority = ?
ORDER BY t.place DESC, t.id DESC LIMIT ${limit}
${skip_locked}

-- name: take-random
-- Each task has a random number, and each take starts at another number.
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.queue_id = ? AND t.state = ${READY} AND t.priority = ? AND t.random IS NOT NULL
  AND t.random >= ? AND t.random < ?
ORDER BY t.random LIMIT ${limit}
${skip_locked}

-- name: take-random-of-type
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.queue_id = ? AND t.take_type = ? AND t.take_type IS NOT NULL AND t.state = ${READY} AND t.priority = ?
  AND t.random IS NOT NULL AND t.random >= ? AND t.random < ?
ORDER BY t.random LIMIT ${limit}
${skip_locked}

-- name: next-spread
-- The next value of the tag that has a ready task. Reads one index entry per value, not per task.
SELECT t.spread FROM ${prefix}task t
WHERE t.queue_id = ? AND t.state = ${READY} AND t.priority = ? AND t.spread IS NOT NULL AND t.spread > ?
ORDER BY t.spread LIMIT 1

-- name: next-spread-of-type
SELECT t.spread FROM ${prefix}task t
WHERE t.queue_id = ? AND t.take_type = ? AND t.take_type IS NOT NULL AND t.state = ${READY} AND t.priority = ?
  AND t.spread IS NOT NULL AND t.spread > ?
ORDER BY t.spread LIMIT 1

-- name: next-spreads
-- The next values, one index seek each. Only for dialects whose recursive queries seek.
WITH RECURSIVE v (spread, n) AS (
  SELECT (
    SELECT t.spread FROM ${prefix}task t
    WHERE t.queue_id = ? AND t.state = ${READY} AND t.priority = ?
      AND t.spread IS NOT NULL AND t.spread > ?
    ORDER BY t.spread LIMIT 1), 1
  UNION ALL
  SELECT (
    SELECT t.spread FROM ${prefix}task t
    WHERE t.queue_id = ? AND t.state = ${READY} AND t.priority = ?
      AND t.spread IS NOT NULL AND t.spread > v.spread
    ORDER BY t.spread LIMIT 1), v.n + 1
  FROM v WHERE v.spread IS NOT NULL AND v.n < ?)
SELECT v.spread FROM v WHERE v.spread IS NOT NULL

-- name: next-spreads-of-type
WITH RECURSIVE v (spread, n) AS (
  SELECT (
    SELECT t.spread FROM ${prefix}task t
    WHERE t.queue_id = ? AND t.take_type = ? AND t.take_type IS NOT NULL AND t.state = ${READY} AND t.priority = ?
      AND t.spread IS NOT NULL AND t.spread > ?
    ORDER BY t.spread LIMIT 1), 1
  UNION ALL
  SELECT (
    SELECT t.spread FROM ${prefix}task t
    WHERE t.queue_id = ? AND t.take_type = ? AND t.take_type IS NOT NULL AND t.state = ${READY} AND t.priority = ?
      AND t.spread IS NOT NULL AND t.spread > v.spread
    ORDER BY t.spread LIMIT 1), v.n + 1
  FROM v WHERE v.spread IS NOT NULL AND v.n < ?)
SELECT v.spread FROM v WHERE v.spread IS NOT NULL

-- name: ready-without-tenant
-- Ready tasks without a tenant hash, in a queue with fair shares. A tenant hash gives a place below 0.
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.queue_id = ? AND t.state = ${READY} AND t.priority = ? AND t.place >= 0
ORDER BY t.place, t.id LIMIT ${limit}
${skip_locked}

-- name: take-oldest-of-spread
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.queue_id = ? AND t.state = ${READY} AND t.priority = ? AND t.spread = ? AND t.spread IS NOT NULL
ORDER BY t.place, t.id LIMIT ${limit}
${skip_locked}

-- name: take-oldest-of-spread-of-type
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.queue_id = ? AND t.take_type = ? AND t.take_type IS NOT NULL AND t.state = ${READY} AND t.priority = ?
  AND t.spread = ? AND t.spread IS NOT NULL
ORDER BY t.place, t.id LIMIT ${limit}
${skip_locked}

-- name: take-newest-of-spread
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.queue_id = ? AND t.state = ${READY} AND t.priority = ? AND t.spread = ? AND t.spread IS NOT NULL
ORDER BY t.place DESC, t.id DESC LIMIT ${limit}
${skip_locked}

-- name: take-newest-of-spread-of-type
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.queue_id = ? AND t.take_type = ? AND t.take_type IS NOT NULL AND t.state = ${READY} AND t.priority = ?
  AND t.spread = ? AND t.spread IS NOT NULL
ORDER BY t.place DESC, t.id DESC LIMIT ${limit}
${skip_locked}

-- name: running-by-spread
SELECT t.spread, count(*) FROM ${prefix}task t
WHERE t.queue_id = ? AND t.state = ${TAKEN} AND t.spread IS NOT NULL GROUP BY t.spread

-- name: running-by-tenant
-- Counts by tenant, because a task that was taken before the queue had fair shares has no tenant hash.
SELECT t.tenant, count(*) FROM ${prefix}task t WHERE t.queue_id = ? AND t.state = ${TAKEN} GROUP BY t.tenant

-- name: lease
UPDATE ${prefix}task
SET state = ${TAKEN}, attempts = attempts + 1, nonce = ?, session_id = ?, taken_at = ?, lease_until = ?
WHERE id = ? AND state = ${READY}

-- name: park
UPDATE ${prefix}task SET state = ${WAITING_KEY} WHERE id = ? AND state = ${READY}
