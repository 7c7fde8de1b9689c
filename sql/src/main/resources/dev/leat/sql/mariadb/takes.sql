-- Takes. FORCE INDEX: without statistics, the optimizer prefers another index and a sort.

-- name: take-oldest
SELECT ${live_columns} FROM ${prefix}task t FORCE INDEX (task_state)
WHERE t.queue_id = ? AND t.state = ${READY} AND t.priority <= ?
ORDER BY t.priority, t.place, t.id LIMIT ${limit}
${skip_locked}

-- name: take-oldest-of-type
SELECT ${live_columns} FROM ${prefix}task t FORCE INDEX (task_ready_type)
WHERE t.queue_id = ? AND t.ready_type = ? AND t.priority <= ?
ORDER BY t.priority, t.place, t.id LIMIT ${limit}
${skip_locked}

-- name: next-priority
SELECT t.priority FROM ${prefix}task t FORCE INDEX (task_state)
WHERE t.queue_id = ? AND t.state = ${READY} AND t.priority > ? AND t.priority <= ?
ORDER BY t.priority LIMIT 1

-- name: next-priority-of-type
SELECT t.priority FROM ${prefix}task t FORCE INDEX (task_ready_type)
WHERE t.queue_id = ? AND t.ready_type = ? AND t.priority > ? AND t.priority <= ?
ORDER BY t.priority LIMIT 1

-- name: take-newest
SELECT ${live_columns} FROM ${prefix}task t FORCE INDEX (task_state)
WHERE t.queue_id = ? AND t.state = ${READY} AND t.priority = ?
ORDER BY t.place DESC, t.id DESC LIMIT ${limit}
${skip_locked}

-- name: take-newest-of-type
SELECT ${live_columns} FROM ${prefix}task t FORCE INDEX (task_ready_type)
WHERE t.queue_id = ? AND t.ready_type = ? AND t.priority = ?
ORDER BY t.place DESC, t.id DESC LIMIT ${limit}
${skip_locked}

-- name: take-random
SELECT ${live_columns} FROM ${prefix}task t FORCE INDEX (task_ready_random)
WHERE t.queue_id = ? AND t.priority = ? AND t.ready_random >= ? AND t.ready_random < ?
ORDER BY t.ready_random LIMIT ${limit}
${skip_locked}

-- name: take-random-of-type
SELECT ${live_columns} FROM ${prefix}task t FORCE INDEX (task_ready_type_random)
WHERE t.queue_id = ? AND t.ready_type = ? AND t.priority = ? AND t.ready_random >= ? AND t.ready_random < ?
ORDER BY t.ready_random LIMIT ${limit}
${skip_locked}

-- name: next-spread
SELECT t.ready_spread FROM ${prefix}task t FORCE INDEX (task_ready_spread)
WHERE t.queue_id = ? AND t.priority = ? AND t.ready_spread > ?
ORDER BY t.ready_spread LIMIT 1

-- name: next-spread-of-type
SELECT t.ready_spread FROM ${prefix}task t FORCE INDEX (task_ready_type_spread)
WHERE t.queue_id = ? AND t.ready_type = ? AND t.priority = ? AND t.ready_spread > ?
ORDER BY t.ready_spread LIMIT 1

-- name: ready-without-tenant
SELECT ${live_columns} FROM ${prefix}task t FORCE INDEX (task_state)
WHERE t.queue_id = ? AND t.state = ${READY} AND t.priority = ? AND t.place >= 0
ORDER BY t.place, t.id LIMIT ${limit}
${skip_locked}

-- name: take-oldest-of-spread
SELECT ${live_columns} FROM ${prefix}task t FORCE INDEX (task_ready_spread)
WHERE t.queue_id = ? AND t.priority = ? AND t.ready_spread = ?
ORDER BY t.place, t.id LIMIT ${limit}
${skip_locked}

-- name: take-oldest-of-spread-of-type
SELECT ${live_columns} FROM ${prefix}task t FORCE INDEX (task_ready_type_spread)
WHERE t.queue_id = ? AND t.ready_type = ? AND t.priority = ? AND t.ready_spread = ?
ORDER BY t.place, t.id LIMIT ${limit}
${skip_locked}

-- name: take-newest-of-spread
SELECT ${live_columns} FROM ${prefix}task t FORCE INDEX (task_ready_spread)
WHERE t.queue_id = ? AND t.priority = ? AND t.ready_spread = ?
ORDER BY t.place DESC, t.id DESC LIMIT ${limit}
${skip_locked}

-- name: take-newest-of-spread-of-type
SELECT ${live_columns} FROM ${prefix}task t FORCE INDEX (task_ready_type_spread)
WHERE t.queue_id = ? AND t.ready_type = ? AND t.priority = ? AND t.ready_spread = ?
ORDER BY t.place DESC, t.id DESC LIMIT ${limit}
${skip_locked}
