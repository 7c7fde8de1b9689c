-- Sessions and their leases.

-- name: insert-session
INSERT INTO ${prefix}session (id, dead_after, grace, heard) VALUES (?, ?, ?, ?)

-- name: lock-session
SELECT id, dead_after, grace, heard, disconnected FROM ${prefix}session WHERE id = ? ${for_update}

-- name: hold-session
-- Keeps the session from ending before its new leases are visible.
SELECT id FROM ${prefix}session WHERE id = ? ${for_key_share}

-- name: sessions
SELECT id, dead_after, grace, heard, disconnected FROM ${prefix}session ORDER BY id

-- name: heartbeat
UPDATE ${prefix}session SET heard = ?, waiting = ?, disconnected = NULL WHERE id = ?

-- name: disconnect
UPDATE ${prefix}session SET disconnected = ?, waiting = NULL WHERE id = ?

-- name: forget-future
-- A clock that was set back leaves heartbeats in the future. They count as heartbeats from now.
UPDATE ${prefix}session SET heard = ? WHERE heard > ?

-- name: forget-future-disconnects
UPDATE ${prefix}session SET disconnected = ? WHERE disconnected > ?

-- name: delete-session
DELETE FROM ${prefix}session WHERE id = ? AND heard = ?

-- name: waiting
SELECT waiting FROM ${prefix}session WHERE waiting IS NOT NULL

-- name: held-by-session
-- One index seek per queue. The index on taken tasks begins with the queue, as counts and releaseAll need it.
SELECT t.id FROM ${prefix}queue q JOIN ${prefix}task t ON t.queue_id = q.id
WHERE t.state = ${TAKEN} AND t.session_id = ? ORDER BY t.id

-- name: leased-under
-- The tasks of a lost take. Reads all taken tasks of the queue, which are few.
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.queue_id = ? AND t.state = ${TAKEN} AND t.nonce = ? ORDER BY t.priority, t.id

-- name: leases
SELECT t.id, t.nonce FROM ${prefix}queue q JOIN ${prefix}task t ON t.queue_id = q.id
WHERE t.state = ${TAKEN} AND t.session_id = ? ORDER BY t.id

-- name: to-stop
SELECT t.id, t.nonce FROM ${prefix}task t WHERE t.session_id = ? AND t.revoke_at IS NOT NULL
