-- Live and finished tasks: the columns that TaskRowMapper reads, and single tasks.
--
-- The files in this folder are common to all dialects. A statement in the folder of a dialect overrides the statement of the same
-- name. Placeholders are expanded when Leat opens a storage: ${prefix}, ${now}, ${limit} and the like by the dialect, ${READY} and
-- the like by the codes of RowState, ${live_columns} and the like by fragments. ${for_update}, ${for_share} and ${skip_locked} lock
-- rows on databases with several writers; a statement that reads rows in order to change them ends with one of them.

-- fragment: has_optional_columns
t.address IS NOT NULL OR t.type IS NOT NULL OR t.tenant IS NOT NULL OR t.business_group IS NOT NULL
  OR t.origin IS NOT NULL OR t.destination IS NOT NULL OR t.external_key IS NOT NULL OR t.tags IS NOT NULL
  OR t.trace IS NOT NULL OR t.dead_of IS NOT NULL OR t.message IS NOT NULL OR t.previous_due IS NOT NULL
  OR t.own_ttr IS NOT NULL OR t.publication_id IS NOT NULL

-- fragment: live_columns
-- TaskRowMapper reads the columns in this order. has_optional tells Rows whether a column after it has a value; most tasks have none.
t.id, t.queue_id, t.state, t.priority, t.created, t.due, t.expires, t.ttr, t.attempts, t.failures, t.losses, t.releases,
t.task_key, t.group_id, t.nonce, t.session_id, t.taken_at, t.lease_until, t.revoke_at, t.settled_nonce, t.settled_by,
t.random, t.take_type, t.spread, t.content_type, t.payload,
(${has_optional_columns}) AS has_optional,
t.address, t.type, t.tenant, t.business_group, t.origin, t.destination, t.external_key, t.payload_hash, t.tags, t.trace,
t.dead_of, t.message, t.error_code, t.previous_due, t.own_ttr, t.publication_id, t.subscriber

-- fragment: finished_columns
-- The order of live_columns, then the columns that only finished tasks have.
t.id, t.queue_id, t.state, t.priority, t.created, t.due, t.expires, t.ttr, t.attempts, t.failures, t.losses, t.releases,
t.task_key, t.group_id, NULL, NULL, NULL, NULL, NULL, t.settled_nonce, t.settled_by,
NULL, NULL, NULL, t.content_type, t.payload, 1,
t.address, t.type, t.tenant, t.business_group, t.origin, t.destination, t.external_key, t.payload_hash, t.tags, t.trace,
t.dead_of, t.message, t.error_code, t.previous_due, NULL, t.publication_id, t.subscriber, t.finished_at, t.hidden_at,
t.result_type, t.result

-- fragment: status_columns
-- The status of a live task, for a caller that waits for the task.
t.id, t.queue_id, t.state, t.message, t.error_code, CASE WHEN t.chunk_nonce = t.nonce THEN t.chunk END

-- fragment: finished_status_columns
t.id, t.queue_id, t.state, t.message, t.error_code, t.result_type, t.result

-- name: live-task
SELECT ${live_columns} FROM ${prefix}task t WHERE t.id = ?

-- name: lock-task
SELECT ${live_columns} FROM ${prefix}task t WHERE t.id = ? ${for_update}

-- name: finished-task
SELECT ${finished_columns} FROM ${prefix}finished t
WHERE t.id = ? AND (t.hidden_at > ? OR t.finished_at > ?)

-- name: update-task
UPDATE ${prefix}task SET
  state = :state, place = :place, due = :due, previous_due = :previous_due, expires = :expires, attempts = :attempts,
  failures = :failures, losses = :losses, releases = :releases,
  group_id = :group_id, nonce = :nonce, session_id = :session_id, taken_at = :taken_at, lease_until = :lease_until,
  revoke_at = :revoke_at, settled_nonce = :settled_nonce,
  settled_by = :settled_by, message = :message, error_code = :error_code, spread = :spread
WHERE id = :id

-- name: set-chunk
-- The higher of the two numbers, unless the stored number belongs to another lease.
UPDATE ${prefix}task SET chunk = CASE WHEN chunk_nonce = nonce AND chunk > ? THEN chunk ELSE ? END, chunk_nonce = nonce
WHERE id = ?

-- name: delete-task
DELETE FROM ${prefix}task WHERE id = ?
