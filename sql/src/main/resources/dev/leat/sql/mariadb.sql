-- MariaDB and MySQL: READ COMMITTED. Each statement sees what was committed before it; rows that are going to be changed are
-- locked by ${for_update} and the like, which are empty in portable mode: there the claim-… statement of the same name, and with
-- the same values, is run before, since a row that a transaction has written is its own on every engine.
-- Hot statements name their index: the optimizer, on tables without statistics, likes others and a sort.

-- Ids

-- name: mark-ids
SAVEPOINT leat_ids

-- name: reserve-ids
INSERT INTO ${prefix}task_id (id)
SELECT NULL FROM JSON_TABLE(CONCAT('[0', REPEAT(',0', ? - 1), ']'), '$[*]' COLUMNS (n INTEGER PATH '$')) n

-- name: new-ids
-- Nobody commits a row to this table, so all that can be seen are our own.
SELECT id FROM ${prefix}task_id ORDER BY id

-- name: unmark-ids
ROLLBACK TO SAVEPOINT leat_ids

-- name: last-id
SELECT coalesce(AUTO_INCREMENT, 1) - 1 FROM information_schema.tables
WHERE table_schema = IF(LOCATE('.', '${prefix}') > 0, SUBSTRING_INDEX('${prefix}', '.', 1), DATABASE())
  AND table_name = '${name}task_id'

-- name: last-group-id
SELECT LAST_INSERT_ID()

-- Takes

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

-- name: strays
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

-- Keys

-- name: enter-key
-- 1 when entered, 2 when the key is busy. Not INSERT IGNORE: that shares the busy row, and two who then want it for
-- themselves wait for each other.
INSERT INTO ${prefix}key_lease (queue_id, task_key, task_id) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE asked = asked + 1

-- name: hold-key
UPDATE ${prefix}key_lease SET asked = asked + 1 WHERE queue_id = ? AND task_key = ?

-- name: before-in-line
-- Comparisons of rows, (a, b) < (?, ?), do not bound a range here.
SELECT t.id FROM ${prefix}task t FORCE INDEX (task_line)
WHERE t.queue_id = ? AND t.line_key = ? AND t.line_state IN (${WAITING_KEY}, ${READY})
  AND (t.priority < ? OR (t.priority = ? AND t.id < ?))
LIMIT 1

-- name: next-behind-key
SELECT t.id FROM ${prefix}task t FORCE INDEX (task_line)
WHERE t.queue_id = ? AND t.line_key = ? AND t.line_state = ${WAITING_KEY}
ORDER BY t.priority, t.id LIMIT 1
${for_update}

-- Tasks

-- name: find-address
SELECT id FROM ${prefix}task FORCE INDEX (task_address) WHERE queue_id = ? AND live_address = ?

-- fragment: tasks_by_ids
-- A list of ids comes as a JSON array in ascending order, so that two transactions never wait for each other. Without its hint
-- the server reads a small table as a whole, and a settle waits for whoever has put something and not committed yet.
JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) j STRAIGHT_JOIN ${prefix}task t FORCE INDEX (PRIMARY) ON t.id = j.id

-- fragment: in_ids
IN (SELECT id FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) j)

-- name: task-ends
SELECT t.id, t.state, t.group_id FROM ${tasks_by_ids}
UNION ALL
SELECT t.id, t.state, t.group_id
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) j
  STRAIGHT_JOIN ${prefix}finished t FORCE INDEX (PRIMARY) ON t.id = j.id

-- name: live-tasks
SELECT ${live_columns} FROM ${tasks_by_ids}

-- name: lock-tasks
SELECT ${live_columns} FROM ${tasks_by_ids}
${for_update}

-- name: standings
SELECT ${standing} FROM ${tasks_by_ids}

-- name: finished-standings
SELECT ${finished_standing}
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) j
STRAIGHT_JOIN ${prefix}finished t FORCE INDEX (PRIMARY) ON t.id = j.id
WHERE t.hidden_at > ? OR t.finished_at > ?

-- name: update-task
-- Assignments are made from left to right: place sees the new state.
UPDATE ${prefix}task SET
  state = ?, place = IF(state = ${BURIED}, 0, ?), due = ?, previous_due = ?, expires = ?, attempts = ?, failures = ?,
  losses = ?, releases = ?, group_id = ?, nonce = ?, session_id = ?, taken_at = ?, lease_until = ?, revoke_at = ?,
  settled_nonce = ?, settled_by = ?, message = ?, error_code = ?, spread = ?
WHERE id = ?

-- name: set-take-keys
UPDATE ${prefix}task SET place = IF(state = ${BURIED}, 0, ?), random = ?, take_type = ?, spread = ? WHERE id = ?

-- name: plain-deliveries
-- Taken tasks whose ack concerns nobody else: no key to pass on, no group to end, no wish to cancel.
SELECT t.id, t.nonce, t.queue_id
FROM ${tasks_by_ids}
WHERE t.state = ${TAKEN} AND t.task_key IS NULL AND t.group_id IS NULL AND t.revoke_at IS NULL
  AND (t.publication_id IS NULL OR t.publication_id <> 0)
${for_update}

-- name: finish-plain
-- Moves acknowledged tasks in two statements, however many there are. The payload is read only if it is kept.
INSERT INTO ${prefix}finished (
  id, queue_id, state, finished_at, hidden_at, priority, created, due, previous_due, expires, ttr, attempts, failures,
  losses, releases, settled_nonce, settled_by, address, type, tenant, business_group, origin, destination,
  external_key, payload_hash, tags, trace, dead_of, publication_id, subscriber, error_code, content_type, payload)
SELECT
  t.id, queue_id, ${DONE}, ?, ?, priority, created, due, previous_due, expires, ttr, attempts, failures,
  losses, releases, nonce, ?, address, type, tenant, business_group, origin, destination,
  external_key, payload_hash, tags, trace, dead_of, publication_id, subscriber, 0,
  CASE WHEN ? OR coalesce(length(payload), 0) = 0 THEN content_type ELSE ? END, CASE WHEN ? THEN payload END
FROM ${tasks_by_ids}

-- name: delete-plain
DELETE t FROM ${tasks_by_ids}

-- name: trim-attempts
-- The inner table is needed by MySQL, which does not read what it is deleting from.
DELETE FROM ${prefix}attempt WHERE task_id = ? AND id <= (SELECT oldest.id FROM (
  SELECT a.id FROM ${prefix}attempt a WHERE a.task_id = ? ORDER BY a.id DESC LIMIT 1 OFFSET ?) oldest)

-- fragment: only_by_state
FORCE INDEX (task_state)

-- name: buried-of-queue
SELECT t.id, t.priority FROM ${prefix}task t FORCE INDEX (task_state)
WHERE t.queue_id = ? AND t.state = ${BURIED} AND (t.priority > ? OR (t.priority = ? AND t.place = 0 AND t.id > ?))
ORDER BY t.priority, t.place, t.id LIMIT ${limit}

-- name: count-live
SELECT count(*) FROM (SELECT 1 FROM ${prefix}task FORCE INDEX (task_state) WHERE queue_id = ? LIMIT ${limit}) c

-- Sessions

-- name: to-stop
SELECT t.id, t.nonce FROM ${prefix}task t FORCE INDEX (task_to_stop) WHERE t.stop_session = ? ORDER BY t.id

-- name: news
SELECT q.id, q.name, q.options, q.paused, q.set_by, q.revision, CASE WHEN EXISTS (
    SELECT 1 FROM ${prefix}task t FORCE INDEX (task_state) WHERE t.queue_id = q.id AND t.state = ${READY})
  THEN 1 ELSE 0 END, 1
FROM ${prefix}queue q WHERE q.live = 1
UNION ALL
SELECT DISTINCT 0, t.stop_session, NULL, 0, NULL, 0, 0, 2 FROM ${prefix}task t FORCE INDEX (task_to_stop)
WHERE t.stop_session IS NOT NULL
UNION ALL
SELECT min(t.timer_at), NULL, NULL, 0, NULL, 0, 0, 3 FROM ${prefix}task t WHERE t.timer_at IS NOT NULL
UNION ALL
SELECT min(s.next_run), NULL, NULL, 0, NULL, 0, 0, 3 FROM ${prefix}schedule s WHERE s.next_run IS NOT NULL

-- Groups

-- name: group-has-work
SELECT 1 FROM ${prefix}task t FORCE INDEX (task_of_group)
WHERE t.group_id = ? AND t.group_state IN (${WAITING_GROUP}, ${SCHEDULED}, ${WAITING_KEY}, ${READY}, ${TAKEN}) LIMIT 1

-- fragment: has_no_work
NOT EXISTS (
  SELECT 1 FROM ${prefix}task t FORCE INDEX (task_of_group)
  WHERE t.group_id = g.id AND t.group_state IN (
    ${WAITING_GROUP}, ${SCHEDULED}, ${WAITING_KEY}, ${READY}, ${TAKEN}))
  AND ${has_no_parts}

-- fragment: some_of_group
SELECT 1 FROM ${prefix}task t FORCE INDEX (task_of_group) WHERE t.group_id = ? AND t.group_state BETWEEN

-- name: group-tasks
SELECT t.group_state, t.id FROM ${prefix}task t FORCE INDEX (task_of_group)
WHERE t.group_id = ? AND (t.group_state > ? OR (t.group_state = ? AND t.id > ?)) AND t.group_state <= ?
ORDER BY t.group_state, t.id LIMIT ${limit}
${for_update}

-- Schedules

-- name: due-schedules
SELECT ${schedule_columns} FROM ${prefix}schedule s FORCE INDEX (schedule_next)
WHERE (s.next_run > ? OR (s.next_run = ? AND s.name > ?)) AND s.next_run <= ?
ORDER BY s.next_run, s.name LIMIT ${limit}
${skip_locked}

-- name: schedules-of-tenant
SELECT ${schedule_columns} FROM ${prefix}schedule s FORCE INDEX (schedule_tenant)
WHERE s.tenant = ? AND s.name > ? AND (CAST(? AS ${text}) IS NULL OR s.queue = ?) ORDER BY s.name LIMIT ${limit}

-- Locks

-- name: insert-new-idempotency
INSERT IGNORE INTO ${prefix}idempotency (queue_id, idempotency, task_id, known_until, fingerprint) VALUES (?, ?, ?, ?, ?)

-- name: hold-equivalence
-- Whoever else puts something that does the same waits here until we are done; task_id means nothing in such a row. Not INSERT IGNORE,
-- see enter-key. The row is locked as it is now, but a transaction at REPEATABLE READ goes on seeing it as it was, unless it
-- changes it: so it does that only if nobody else has.
INSERT INTO ${prefix}idempotency (queue_id, idempotency, task_id, known_until) VALUES (?, ?, 0, ?)
ON DUPLICATE KEY UPDATE known_until = IF(known_until = ?, VALUES(known_until), known_until)

-- name: acquire-lock
INSERT IGNORE INTO ${prefix}lock (name, holder, held_until) VALUES (?, ?, ?)

-- Claims: what portable mode runs instead of locking

-- name: claim-lock-queue
UPDATE ${prefix}queue SET claims = claims + 1 WHERE id = ?

-- name: claim-lock-task
UPDATE ${prefix}task SET claims = claims + 1 WHERE id = ?

-- name: claim-lock-tasks
UPDATE ${tasks_by_ids}
SET t.claims = t.claims + 1

-- name: claim-plain-deliveries
UPDATE ${tasks_by_ids}
SET t.claims = t.claims + 1

-- name: claim-lock-session
UPDATE ${prefix}session SET claims = claims + 1 WHERE id = ?

-- name: claim-hold-session
UPDATE ${prefix}session SET claims = claims + 1 WHERE id = ?

-- name: claim-lock-schedule
UPDATE ${prefix}schedule SET claims = claims + 1 WHERE name = ?

-- name: claim-due-schedules
UPDATE ${prefix}schedule SET claims = claims + 1
WHERE (next_run > ? OR (next_run = ? AND name > ?)) AND next_run <= ? ORDER BY next_run, name LIMIT ${limit}

-- name: claim-due-schedule
UPDATE ${prefix}schedule SET claims = claims + 1 WHERE name = ? AND next_run <= ?

-- name: claim-lock-group
UPDATE ${prefix}task_group SET claims = claims + 1 WHERE id = ?

-- name: claim-lock-group-if-free
UPDATE ${prefix}task_group SET claims = claims + 1 WHERE id = ?

-- name: claim-hold-group
UPDATE ${prefix}task_group SET claims = claims + 1 WHERE id = ?

-- name: claim-hold-group-if-free
UPDATE ${prefix}task_group SET claims = claims + 1 WHERE id = ?

-- Migrations

-- name: lock-migrations
-- The name is the server's, not the database's, and must be short.
SELECT GET_LOCK(MD5(CONCAT('leat ', IF(LOCATE('.', '${prefix}') > 0, '${prefix}', CONCAT(DATABASE(), '.${prefix}')))), 0)

-- name: unlock-migrations
SELECT RELEASE_LOCK(MD5(CONCAT('leat ', IF(LOCATE('.', '${prefix}') > 0, '${prefix}', CONCAT(DATABASE(), '.${prefix}')))))

-- name: has-migrations
SELECT 1 FROM information_schema.tables
WHERE table_schema = IF(LOCATE('.', '${prefix}') > 0, SUBSTRING_INDEX('${prefix}', '.', 1), DATABASE())
  AND table_name = '${name}migration'

-- name: lock-timeout
SELECT @@SESSION.innodb_lock_wait_timeout

-- name: set-lock-timeout
SET SESSION innodb_lock_wait_timeout = ?

-- name: create-schema
CREATE DATABASE IF NOT EXISTS ${schema}

-- name: examine
-- Whoever keeps the server from cleaning up behind the queue. To see others takes the PROCESS privilege.
SELECT 'WARNING', CONCAT('Connection ', trx_mysql_thread_id, ' keeps a transaction open for ',
  TIMESTAMPDIFF(SECOND, trx_started, NOW()), ' s.'),
  CONCAT('End it, or KILL ', trx_mysql_thread_id, ': old versions of rows cannot be cleaned up meanwhile.')
FROM information_schema.innodb_trx
WHERE trx_started < NOW() - INTERVAL 300 SECOND AND trx_mysql_thread_id <> CONNECTION_ID()
UNION ALL
SELECT 'TROUBLE', 'The server can only be read.', 'Connect to the primary.' FROM (SELECT 1) one WHERE @@read_only = 1
