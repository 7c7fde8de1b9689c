-- What every dialect shares. A dialect's own file overrides a statement by its name; ${...} is expanded once, at load:
-- ${prefix}, ${now}, ${limit} and the like by the dialect, ${READY} and the like by the codes of RowState, ${live_columns} and the
-- like by the fragments below. ${for_update}, ${for_share} and ${skip_locked} keep rows from changing under a transaction where
-- there are other writers; a statement that reads rows in order to change them ends with one of them.

-- fragment: is_rare
t.address IS NOT NULL OR t.type IS NOT NULL OR t.tenant IS NOT NULL OR t.business_group IS NOT NULL
  OR t.origin IS NOT NULL OR t.destination IS NOT NULL OR t.external_key IS NOT NULL OR t.tags IS NOT NULL
  OR t.trace IS NOT NULL OR t.dead_of IS NOT NULL OR t.message IS NOT NULL OR t.previous_due IS NOT NULL
  OR t.own_ttr IS NOT NULL OR t.publication_id IS NOT NULL

-- fragment: live_columns
-- The order is known to TaskRowMapper. "rare" tells whether any column after it is worth reading: most tasks have none of them.
t.id, t.queue_id, t.state, t.priority, t.created, t.due, t.expires, t.ttr, t.attempts, t.failures, t.losses, t.releases,
t.task_key, t.group_id, t.nonce, t.session_id, t.taken_at, t.lease_until, t.revoke_at, t.settled_nonce, t.settled_by,
t.random, t.take_type, t.spread, t.content_type, t.payload,
(${is_rare}) AS rare,
t.address, t.type, t.tenant, t.business_group, t.origin, t.destination, t.external_key, t.payload_hash, t.tags, t.trace,
t.dead_of, t.message, t.error_code, t.previous_due, t.own_ttr, t.publication_id, t.subscriber

-- fragment: finished_columns
-- The same order as live_columns, then what only finished tasks have.
t.id, t.queue_id, t.state, t.priority, t.created, t.due, t.expires, t.ttr, t.attempts, t.failures, t.losses, t.releases,
t.task_key, t.group_id, NULL, NULL, NULL, NULL, NULL, t.settled_nonce, t.settled_by,
NULL, NULL, NULL, t.content_type, t.payload, 1,
t.address, t.type, t.tenant, t.business_group, t.origin, t.destination, t.external_key, t.payload_hash, t.tags, t.trace,
t.dead_of, t.message, t.error_code, t.previous_due, NULL, t.publication_id, t.subscriber, t.finished_at, t.hidden_at,
t.result_type, t.result

-- fragment: standing
-- How a live task stands, for who waits for it.
t.id, t.queue_id, t.state, t.message, t.error_code, CASE WHEN t.chunk_nonce = t.nonce THEN t.chunk END

-- fragment: finished_standing
t.id, t.queue_id, t.state, t.message, t.error_code, t.result_type, t.result

-- Time

-- name: moment
-- The time, and the next moment at which time changes a task.
SELECT ${now}, (SELECT min(timer_at) FROM ${prefix}task WHERE timer_at IS NOT NULL)

-- name: glance
-- The time, when it changes a task next, when a session ends unless it is heard of, when one was last heard of, and when a schedule
-- runs next.
SELECT ${now}, (SELECT min(timer_at) FROM ${prefix}task WHERE timer_at IS NOT NULL),
  (SELECT min(CASE WHEN disconnected IS NULL THEN heard + dead_after ELSE disconnected + grace END) FROM ${prefix}session),
  (SELECT max(CASE WHEN disconnected > heard THEN disconnected ELSE heard END) FROM ${prefix}session),
  (SELECT min(next_run) FROM ${prefix}schedule WHERE next_run IS NOT NULL)

-- name: due-tasks
SELECT t.id, t.state FROM ${prefix}task t WHERE t.timer_at <= ? ORDER BY t.timer_at, t.id LIMIT ${limit}
${skip_locked}

-- Queues

-- name: queue-revision
SELECT id, revision FROM ${prefix}queue WHERE name = ? AND live = 1

-- name: queue-revision-by-id
SELECT revision FROM ${prefix}queue WHERE id = ?

-- name: queue-by-id
SELECT id, name, options, paused, set_by, revision FROM ${prefix}queue WHERE id = ?

-- name: queues
SELECT id, name, options, paused, set_by, revision FROM ${prefix}queue WHERE live = 1 ORDER BY name

-- name: queue-ids
-- Dropped ones too, since their finished tasks are purged like any others.
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
-- Not while anything names it; state by state, since no index has all of them.
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
-- What takes order and filter by, for tasks that were put under other options.
SELECT t.id, t.type, t.tags, t.due, t.tenant FROM ${prefix}task t WHERE t.queue_id = ?

-- name: set-take-keys
UPDATE ${prefix}task SET place = ?, random = ?, take_type = ?, spread = ? WHERE id = ?

-- Puts

-- name: insert-plain
-- Few columns to bind: two thirds of the time of a put by thousands is spent on binding.
INSERT INTO ${prefix}task (id, queue_id, state, priority, place, created, due, expires, ttr, task_key, content_type, payload)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: insert-full
INSERT INTO ${prefix}task (
  id, queue_id, state, priority, place, created, due, expires, ttr, task_key, content_type, payload,
  own_ttr, random, take_type, spread, address, group_id, type, tenant, business_group, origin, destination,
  external_key, payload_hash, tags, trace, dead_of, publication_id, subscriber)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: find-address
SELECT id FROM ${prefix}task WHERE queue_id = ? AND address = ? AND address IS NOT NULL AND state <> ${BURIED}

-- name: find-idempotency
SELECT task_id, fingerprint FROM ${prefix}idempotency WHERE queue_id = ? AND idempotency = ? AND known_until > ?

-- name: forget-idempotency
DELETE FROM ${prefix}idempotency WHERE queue_id = ? AND idempotency = ? AND known_until <= ?

-- name: held-equivalence
SELECT known_until FROM ${prefix}idempotency WHERE queue_id = ? AND idempotency = ?

-- name: insert-idempotency
INSERT INTO ${prefix}idempotency (queue_id, idempotency, task_id, known_until, fingerprint) VALUES (?, ?, ?, ?, ?)

-- Takes: each reads one range of one index, so what does not match costs nothing.

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
-- Every task has a random number of its own; a take starts at another one each time.
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
-- The next value of the tag that has a ready task: walks values, not tasks.
SELECT t.spread FROM ${prefix}task t
WHERE t.queue_id = ? AND t.state = ${READY} AND t.priority = ? AND t.spread IS NOT NULL AND t.spread > ?
ORDER BY t.spread LIMIT 1

-- name: next-spread-of-type
SELECT t.spread FROM ${prefix}task t
WHERE t.queue_id = ? AND t.take_type = ? AND t.take_type IS NOT NULL AND t.state = ${READY} AND t.priority = ?
  AND t.spread IS NOT NULL AND t.spread > ?
ORDER BY t.spread LIMIT 1

-- name: next-spreads
-- The next values, one look into the index for each; only where the dialect seeks in recursion.
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

-- name: strays
-- Ready rows without the mark of their tenant, in a queue where all others have one: those have a place below 0.
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
-- Not by their marks: some may have been taken before there were any.
SELECT t.tenant, count(*) FROM ${prefix}task t WHERE t.queue_id = ? AND t.state = ${TAKEN} GROUP BY t.tenant

-- name: lease
UPDATE ${prefix}task
SET state = ${TAKEN}, attempts = attempts + 1, nonce = ?, session_id = ?, taken_at = ?, lease_until = ?
WHERE id = ? AND state = ${READY}

-- name: park
UPDATE ${prefix}task SET state = ${WAITING_KEY} WHERE id = ? AND state = ${READY}

-- name: leave-key
DELETE FROM ${prefix}key_lease WHERE queue_id = ? AND task_key = ? AND task_id = ?

-- name: hold-key
-- Writes nothing new, but whoever wants to free the key waits until we are done.
UPDATE ${prefix}key_lease SET task_id = task_id WHERE queue_id = ? AND task_key = ?

-- name: key-holder
SELECT task_id FROM ${prefix}key_lease WHERE queue_id = ? AND task_key = ?

-- name: before-in-line
-- Who is to run for the key before a task: takes of others may have skipped it because somebody has it locked.
SELECT t.id FROM ${prefix}task t
WHERE t.queue_id = ? AND t.task_key = ? AND t.task_key IS NOT NULL AND t.state IN (${WAITING_KEY}, ${READY})
  AND t.priority <= ? AND (t.priority, t.id) < (?, ?)
LIMIT 1

-- name: next-behind-key
SELECT t.id FROM ${prefix}task t
WHERE t.queue_id = ? AND t.task_key = ? AND t.task_key IS NOT NULL AND t.state = ${WAITING_KEY}
ORDER BY t.priority, t.id LIMIT 1
${for_update}

-- Tasks

-- name: live-task
SELECT ${live_columns} FROM ${prefix}task t WHERE t.id = ?

-- name: lock-task
SELECT ${live_columns} FROM ${prefix}task t WHERE t.id = ? ${for_update}

-- name: finished-task
SELECT ${finished_columns} FROM ${prefix}finished t
WHERE t.id = ? AND (t.hidden_at > ? OR t.finished_at > ?)

-- name: update-task
UPDATE ${prefix}task SET
  state = ?, place = ?, due = ?, previous_due = ?, expires = ?, attempts = ?, failures = ?, losses = ?, releases = ?,
  group_id = ?, nonce = ?, session_id = ?, taken_at = ?, lease_until = ?, revoke_at = ?, settled_nonce = ?,
  settled_by = ?, message = ?, error_code = ?, spread = ?
WHERE id = ?

-- name: set-chunk
-- The higher of two, unless the one that is there is of another lease.
UPDATE ${prefix}task SET chunk = CASE WHEN chunk_nonce = nonce AND chunk > ? THEN chunk ELSE ? END, chunk_nonce = nonce
WHERE id = ?

-- name: delete-task
DELETE FROM ${prefix}task WHERE id = ?

-- name: insert-finished
INSERT INTO ${prefix}finished (
  id, queue_id, state, finished_at, hidden_at, priority, created, due, previous_due, expires, ttr, attempts, failures,
  losses, releases, settled_nonce, settled_by, task_key, address, group_id, type, tenant, business_group, origin,
  destination, external_key, payload_hash, tags, trace, dead_of, publication_id, subscriber, message, error_code,
  result_type, result, content_type, payload)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: insert-attempt
INSERT INTO ${prefix}attempt (
  task_id, number, started, ended, outcome, message, session_id, next_due, nonce, settled_by, due, exception, stack_trace)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: trim-attempts
-- A task that is tried for ever must not grow.
DELETE FROM ${prefix}attempt WHERE task_id = ? AND id <= (
  SELECT a.id FROM ${prefix}attempt a WHERE a.task_id = ? ORDER BY a.id DESC LIMIT 1 OFFSET ?)

-- name: attempts
SELECT number, started, ended, outcome, message, session_id, next_due, exception, stack_trace FROM ${prefix}attempt
WHERE task_id = ? AND number > 0 ORDER BY id

-- name: was-settled
SELECT 1 FROM ${prefix}attempt WHERE task_id = ? AND nonce = ? AND settled_by = ? LIMIT 1

-- name: taken-of-queue
SELECT t.id FROM ${prefix}task t WHERE t.queue_id = ? AND t.state = ${TAKEN} ORDER BY t.id

-- name: live-of-queue
-- State by state, since no index has all of them.
SELECT id FROM ${prefix}task WHERE queue_id = ? AND state = ${WAITING_GROUP}
UNION ALL SELECT id FROM ${prefix}task WHERE queue_id = ? AND state = ${SCHEDULED}
UNION ALL SELECT id FROM ${prefix}task WHERE queue_id = ? AND task_key IS NOT NULL AND state = ${WAITING_KEY}
UNION ALL SELECT id FROM ${prefix}task WHERE queue_id = ? AND state = ${READY}
UNION ALL SELECT id FROM ${prefix}task WHERE queue_id = ? AND state = ${TAKEN}
UNION ALL SELECT id FROM ${prefix}task WHERE queue_id = ? AND state = ${BURIED}
ORDER BY id

-- name: buried-of-queue
SELECT t.id, t.priority FROM ${prefix}task t
WHERE t.queue_id = ? AND t.state = ${BURIED} AND t.priority >= ? AND (t.priority, t.id) > (?, ?)
ORDER BY t.priority, t.id LIMIT ${limit}

-- Lookups

-- fragment: is_asked_for
(CAST(? AS ${text}) IS NULL OR t.type = ?) AND (CAST(? AS ${text}) IS NULL OR t.tenant = ?)
  AND (CAST(? AS ${text}) IS NULL OR t.task_key = ?) AND (CAST(? AS ${text}) IS NULL OR t.address = ?) AND (CAST(? AS ${bigint}) IS NULL OR t.group_id = ?)
  AND (CAST(? AS ${text}) IS NULL OR t.subscriber = ?) AND (CAST(? AS ${text}) IS NULL OR length(replace(t.message, ?, '')) < length(t.message))

-- name: list-live
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.id > ? AND (CAST(? AS ${bigint}) IS NULL OR t.queue_id = ?) AND ${is_asked_for} AND t.state IN (?, ?, ?, ?, ?, ?)
ORDER BY t.id LIMIT ${limit}

-- name: list-finished
SELECT ${finished_columns} FROM ${prefix}finished t
WHERE t.id > ? AND (CAST(? AS ${bigint}) IS NULL OR t.queue_id = ?) AND ${is_asked_for} AND t.state IN (?, ?, ?, ?) AND t.hidden_at > ?
ORDER BY t.id LIMIT ${limit}

-- fragment: only_by_state
-- For engines that have to be told by which index to go.

-- fragment: buried_and_asked_for
-- "+ 0" keeps the primary key out, by which a few buried tasks would be looked for among millions of others.
FROM ${prefix}task t ${only_by_state}
WHERE t.queue_id = ? AND t.state = ${BURIED} AND t.id + 0 > ? AND ${is_asked_for}

-- name: buried-and-asked-for
SELECT t.id ${buried_and_asked_for} ORDER BY t.id + 0 LIMIT ${limit}

-- name: count-buried-and-asked-for
SELECT count(*) FROM (SELECT 1 ${buried_and_asked_for} LIMIT ${limit}) c

-- name: equivalent-live
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.queue_id = ? AND t.external_key = ? AND t.payload_hash = ? AND t.payload_hash IS NOT NULL

-- name: equivalent-finished
SELECT ${finished_columns} FROM ${prefix}finished t
WHERE t.queue_id = ? AND t.external_key = ? AND t.payload_hash = ? AND t.payload_hash IS NOT NULL AND t.hidden_at > ?
ORDER BY t.id

-- name: count-waiting-group
SELECT count(*) FROM (SELECT 1 FROM ${prefix}task WHERE queue_id = ? AND state = ${WAITING_GROUP} LIMIT ${limit}) c

-- name: count-waiting-key
SELECT count(*) FROM (
  SELECT 1 FROM ${prefix}task WHERE queue_id = ? AND task_key IS NOT NULL AND state = ${WAITING_KEY} LIMIT ${limit}) c

-- name: count-scheduled
SELECT count(*) FROM (SELECT 1 FROM ${prefix}task WHERE queue_id = ? AND state = ${SCHEDULED} LIMIT ${limit}) c

-- name: count-ready
SELECT count(*) FROM (SELECT 1 FROM ${prefix}task WHERE queue_id = ? AND state = ${READY} LIMIT ${limit}) c

-- name: count-taken
SELECT count(*) FROM (SELECT 1 FROM ${prefix}task WHERE queue_id = ? AND state = ${TAKEN} LIMIT ${limit}) c

-- name: count-buried
SELECT count(*) FROM (SELECT 1 FROM ${prefix}task WHERE queue_id = ? AND state = ${BURIED} LIMIT ${limit}) c

-- name: count-finished
SELECT count(*) FROM (
  SELECT 1 FROM ${prefix}finished WHERE queue_id = ? AND state = ? AND hidden_at > ? LIMIT ${limit}) c

-- name: count-by-tenant
-- State by state, since no index has all of them.
SELECT c.tenant, c.business_group, c.state, count(*) FROM (
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}task t
    WHERE t.queue_id = ? AND t.state = ${WAITING_GROUP} LIMIT ${limit}) waiting_group
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}task t
    WHERE t.queue_id = ? AND t.state = ${SCHEDULED} LIMIT ${limit}) scheduled
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}task t
    WHERE t.queue_id = ? AND t.task_key IS NOT NULL AND t.state = ${WAITING_KEY} LIMIT ${limit}) waiting_key
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}task t
    WHERE t.queue_id = ? AND t.state = ${READY} LIMIT ${limit}) ready
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}task t
    WHERE t.queue_id = ? AND t.state = ${TAKEN} LIMIT ${limit}) taken
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}task t
    WHERE t.queue_id = ? AND t.state = ${BURIED} LIMIT ${limit}) buried
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}finished t
    WHERE t.queue_id = ? AND t.state = ${DONE} AND t.hidden_at > ? LIMIT ${limit}) done
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}finished t
    WHERE t.queue_id = ? AND t.state = ${FAILED} AND t.hidden_at > ? LIMIT ${limit}) failed
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}finished t
    WHERE t.queue_id = ? AND t.state = ${EXPIRED} AND t.hidden_at > ? LIMIT ${limit}) expired
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}finished t
    WHERE t.queue_id = ? AND t.state = ${CANCELED} AND t.hidden_at > ? LIMIT ${limit}) canceled) c
GROUP BY c.tenant, c.business_group, c.state

-- Subscriptions

-- fragment: subscription_columns
s.id, s.topic, s.queue, s.tenant, s.business_group, s.active, s.reason, s.created,
  s.url, s.http_method, s.headers, s.secrets, s.timeout

-- name: change-subscription
UPDATE ${prefix}subscription SET topic = ?, queue = ?, tenant = ?, business_group = ?, url = ?, http_method = ?, headers = ?,
  secrets = ?, timeout = ?, active = ?, reason = ?
WHERE id = ?

-- name: insert-subscription
INSERT INTO ${prefix}subscription (topic, queue, tenant, business_group, url, http_method, headers,
  secrets, timeout, active, reason, id, created)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: subscription
SELECT ${subscription_columns} FROM ${prefix}subscription s WHERE s.id = ?

-- name: subscriptions
SELECT ${subscription_columns} FROM ${prefix}subscription s
WHERE s.id > ? AND (CAST(? AS ${text}) IS NULL OR s.topic = ?) ORDER BY s.id LIMIT ${limit}

-- name: some-subscriptions
SELECT ${subscription_columns} FROM ${prefix}subscription s ORDER BY s.id LIMIT ${limit}

-- name: enable-subscription
UPDATE ${prefix}subscription SET active = 1, reason = NULL WHERE id = ?

-- name: disable-subscription
UPDATE ${prefix}subscription SET active = 0, reason = ?
WHERE id = ? AND (CAST(? AS ${text}) IS NULL OR url = ?)

-- name: drop-subscription
DELETE FROM ${prefix}subscription WHERE id = ?

-- name: wanting-subscriptions
-- Who wants a publication; a subscription without a tenant or business group wants those of all.
SELECT s.id, s.topic, s.queue FROM ${prefix}subscription s
WHERE s.topic = ? AND s.active = 1 AND (s.tenant IS NULL OR s.tenant = ?)
  AND (s.business_group IS NULL OR s.business_group = ?)
ORDER BY s.id

-- Schedules

-- fragment: schedule_columns
s.name, s.cron, s.zone, s.rate, s.rate_start, s.missed, s.missed_limit, s.overlap, s.task, s.set_by, s.paused, s.created,
  s.next_run, s.last_run, s.last_task, s.last_skip, s.skip_reason

-- name: schedule
SELECT ${schedule_columns} FROM ${prefix}schedule s WHERE s.name = ?

-- name: lock-schedule
SELECT ${schedule_columns} FROM ${prefix}schedule s WHERE s.name = ? ${for_update}

-- name: schedules
SELECT ${schedule_columns} FROM ${prefix}schedule s
WHERE s.name > ? AND (CAST(? AS ${text}) IS NULL OR s.queue = ?) ORDER BY s.name LIMIT ${limit}

-- name: schedules-of-tenant
SELECT ${schedule_columns} FROM ${prefix}schedule s
WHERE s.tenant = ? AND s.name > ? AND (CAST(? AS ${text}) IS NULL OR s.queue = ?) ORDER BY s.name LIMIT ${limit}

-- name: insert-schedule
INSERT INTO ${prefix}schedule (queue, tenant, cron, zone, rate, rate_start, missed, missed_limit, overlap, task, set_by,
  paused, next_run, last_run, last_task, last_skip, skip_reason, name, created)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: change-schedule
UPDATE ${prefix}schedule SET queue = ?, tenant = ?, cron = ?, zone = ?, rate = ?, rate_start = ?, missed = ?,
  missed_limit = ?, overlap = ?, task = ?, set_by = ?, paused = ?, next_run = ?, last_run = ?, last_task = ?,
  last_skip = ?, skip_reason = ?
WHERE name = ?

-- name: drop-schedule
DELETE FROM ${prefix}schedule WHERE name = ?

-- name: due-schedules
-- Those after a place. What another process is at is not waited for.
SELECT ${schedule_columns} FROM ${prefix}schedule s
WHERE s.next_run >= ? AND (s.next_run, s.name) > (?, ?) AND s.next_run <= ?
ORDER BY s.next_run, s.name LIMIT ${limit}
${skip_locked}

-- name: due-schedule
SELECT ${schedule_columns} FROM ${prefix}schedule s WHERE s.name = ? AND s.next_run <= ? ${skip_locked}

-- name: move-schedule
-- Whoever sees the row as it was when the run was due puts the run, nobody else.
UPDATE ${prefix}schedule SET next_run = ?, last_run = ?, last_task = ?, last_skip = ?, skip_reason = ?
WHERE name = ? AND next_run = ?

-- name: next-run
SELECT min(next_run) FROM ${prefix}schedule WHERE next_run IS NOT NULL

-- name: unended-state
SELECT t.state FROM ${prefix}task t WHERE t.id = ? AND t.state <> ${BURIED}

-- Sessions

-- name: insert-session
INSERT INTO ${prefix}session (id, dead_after, grace, heard) VALUES (?, ?, ?, ?)

-- name: lock-session
SELECT id, dead_after, grace, heard, disconnected FROM ${prefix}session WHERE id = ? ${for_update}

-- name: hold-session
-- Whoever takes keeps the session from being ended before its leases can be seen.
SELECT id FROM ${prefix}session WHERE id = ? ${for_key_share}

-- name: sessions
SELECT id, dead_after, grace, heard, disconnected FROM ${prefix}session ORDER BY id

-- name: heartbeat
UPDATE ${prefix}session SET heard = ?, waiting = ?, disconnected = NULL WHERE id = ?

-- name: disconnect
UPDATE ${prefix}session SET disconnected = ?, waiting = NULL WHERE id = ?

-- name: forget-future
-- A heartbeat from the future, left by a clock that was set back, counts as one from now.
UPDATE ${prefix}session SET heard = ? WHERE heard > ?

-- name: forget-future-disconnects
UPDATE ${prefix}session SET disconnected = ? WHERE disconnected > ?

-- name: delete-session
DELETE FROM ${prefix}session WHERE id = ? AND heard = ?

-- name: waiting
SELECT waiting FROM ${prefix}session WHERE waiting IS NOT NULL

-- name: held-by-session
-- One seek per queue: the index on taken tasks starts with the queue, since counts and release-all need it so.
SELECT t.id FROM ${prefix}queue q JOIN ${prefix}task t ON t.queue_id = q.id
WHERE t.state = ${TAKEN} AND t.session_id = ? ORDER BY t.id

-- name: leased-under
-- What a take got whose answer was lost. The taken tasks of a queue are few enough to be looked at.
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.queue_id = ? AND t.state = ${TAKEN} AND t.nonce = ? ORDER BY t.priority, t.id

-- name: leases
SELECT t.id, t.nonce FROM ${prefix}queue q JOIN ${prefix}task t ON t.queue_id = q.id
WHERE t.state = ${TAKEN} AND t.session_id = ? ORDER BY t.id

-- name: to-stop
SELECT t.id, t.nonce FROM ${prefix}task t WHERE t.session_id = ? AND t.revoke_at IS NOT NULL

-- Groups

-- name: insert-group
INSERT INTO ${prefix}task_group (name, open_name, state, on_failure, ends_as, end_task, abort_task, outer_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- fragment: group_columns
id, name, state, on_failure, ends_as, end_task, abort_task, closing_task, moving, reason, outer_id

-- name: group
SELECT ${group_columns} FROM ${prefix}task_group WHERE id = ?

-- name: hold-group
SELECT ${group_columns} FROM ${prefix}task_group WHERE id = ?
${for_share}

-- name: hold-group-if-free
SELECT ${group_columns} FROM ${prefix}task_group WHERE id = ?
${for_share_skip_locked}

-- name: lock-group
SELECT ${group_columns} FROM ${prefix}task_group WHERE id = ?
${for_update}

-- name: lock-group-if-free
SELECT ${group_columns} FROM ${prefix}task_group WHERE id = ?
${skip_locked}

-- name: group-by-name
SELECT ${group_columns} FROM ${prefix}task_group WHERE open_name = ?

-- name: update-group
UPDATE ${prefix}task_group
SET state = ?, ends_as = ?, open_name = ?, closing_task = ?, ended_at = ?, end_task = ?, abort_task = ?, moving = ?, reason = ?,
  outer_id = ?
WHERE id = ?

-- name: moving-groups
SELECT id FROM ${prefix}task_group WHERE state IN ('STARTED', 'CANCELING') AND moving = 1

-- name: group-has-work
SELECT 1 FROM ${prefix}task t
WHERE t.group_id = ? AND t.group_id IS NOT NULL AND t.state IN (
  ${WAITING_GROUP}, ${SCHEDULED}, ${WAITING_KEY}, ${READY}, ${TAKEN}) LIMIT 1

-- fragment: has_no_work
NOT EXISTS (
  SELECT 1 FROM ${prefix}task t
  WHERE t.group_id = g.id AND t.group_id IS NOT NULL AND t.state IN (
    ${WAITING_GROUP}, ${SCHEDULED}, ${WAITING_KEY}, ${READY}, ${TAKEN}))
  AND ${has_no_parts}

-- fragment: has_no_parts
NOT EXISTS (SELECT 1 FROM ${prefix}task_group i WHERE i.outer_id = g.id AND i.outer_id IS NOT NULL)

-- name: inner-groups
SELECT id FROM ${prefix}task_group WHERE outer_id = ? AND outer_id IS NOT NULL LIMIT 1

-- name: inner-groups-to-cancel
SELECT id FROM ${prefix}task_group WHERE outer_id = ? AND outer_id IS NOT NULL AND state IN ('OPEN', 'STARTED') LIMIT 1

-- name: groups-without-work
SELECT g.id FROM ${prefix}task_group g WHERE g.state IN ('STARTED', 'CANCELING') AND ${has_no_work}

-- name: look-at-group
-- Whether it is over, and whether a task of it may wait for another.
SELECT CASE WHEN g.state IN ('STARTED', 'CANCELING') AND ${has_no_work} THEN 1 ELSE 0 END,
  CASE WHEN EXISTS (SELECT 1 FROM ${prefix}dependency d WHERE d.group_id = g.id AND d.met = 0) THEN 1 ELSE 0 END
FROM ${prefix}task_group g WHERE g.id = ?

-- fragment: some_of_group
-- BETWEEN one state and itself keeps out the partial indexes of that state, which have all groups.
SELECT 1 FROM ${prefix}task t WHERE t.group_id = ? AND t.group_id IS NOT NULL AND t.state BETWEEN

-- name: group-live-counts
-- State by state, and each only so far.
SELECT ${WAITING_GROUP}, count(*) FROM (${some_of_group} ${WAITING_GROUP} AND ${WAITING_GROUP} LIMIT ${limit}) c
UNION ALL SELECT ${SCHEDULED}, count(*) FROM (${some_of_group} ${SCHEDULED} AND ${SCHEDULED} LIMIT ${limit}) c
UNION ALL SELECT ${WAITING_KEY}, count(*) FROM (${some_of_group} ${WAITING_KEY} AND ${WAITING_KEY} LIMIT ${limit}) c
UNION ALL SELECT ${READY}, count(*) FROM (${some_of_group} ${READY} AND ${READY} LIMIT ${limit}) c
UNION ALL SELECT ${TAKEN}, count(*) FROM (${some_of_group} ${TAKEN} AND ${TAKEN} LIMIT ${limit}) c
UNION ALL SELECT ${BURIED}, count(*) FROM (${some_of_group} ${BURIED} AND ${BURIED} LIMIT ${limit}) c

-- name: group-counts
SELECT coalesce(sum(put), 0), coalesce(sum(done), 0), coalesce(sum(failed), 0), coalesce(sum(canceled), 0)
FROM ${prefix}group_count WHERE group_id = ?

-- name: insert-group-count
INSERT INTO ${prefix}group_count (group_id, put, done, failed, canceled) VALUES (?, ?, ?, ?, ?)

-- name: some-group-counts
SELECT id, put, done, failed, canceled FROM ${prefix}group_count WHERE group_id = ? LIMIT ${limit}
${skip_locked}

-- name: delete-group-count
DELETE FROM ${prefix}group_count WHERE id = ?

-- name: group-tasks
-- The tasks of a group after a place, in the states up to one: nobody runs those up to ${READY}. The comparison of the state
-- alone says nothing new, but without it the scan would begin at the group's first task.
SELECT t.state, t.id FROM ${prefix}task t
WHERE t.group_id = ? AND t.group_id IS NOT NULL AND t.state >= ? AND (t.state, t.id) > (?, ?) AND t.state <= ?
ORDER BY t.state, t.id LIMIT ${limit}
${for_update}

-- Tasks that wait for others

-- name: insert-dependency
INSERT INTO ${prefix}dependency (group_id, task_id, after_id, until_done, met) VALUES (?, ?, ?, ?, ?)

-- name: meet-dependency
UPDATE ${prefix}dependency SET met = 1 WHERE task_id = ? AND after_id = ?

-- name: task-ends
-- How tasks stand, live or finished. Nothing is locked: whoever changes one of them looks at those that wait for it afterwards.
SELECT t.id, t.state, t.group_id FROM ${prefix}task t WHERE t.id ${in_ids}
UNION ALL SELECT t.id, t.state, t.group_id FROM ${prefix}finished t WHERE t.id ${in_ids}

-- name: followers
SELECT d.task_id FROM ${prefix}dependency d WHERE d.group_id = ? AND d.met = 0 AND d.after_id ${in_ids}

-- name: unmet-dependencies
-- Not d.met itself, which would let in the index of all groups.
SELECT d.task_id, d.after_id, d.until_done FROM ${prefix}dependency d
WHERE d.task_id ${in_ids} AND d.met + 0 = 0

-- name: dependencies
SELECT d.task_id, d.after_id, d.until_done FROM ${prefix}dependency d
WHERE d.task_id ${in_ids} ORDER BY d.task_id, d.after_id

-- name: open-groups
SELECT id FROM ${prefix}task_group WHERE state IN ('OPEN', 'STARTED') AND id > ? ORDER BY id LIMIT ${limit}

-- name: forgotten-followers
-- Those that wait for a task that has ended without anybody having looked at them.
SELECT d.group_id, d.task_id FROM ${prefix}dependency d JOIN ${prefix}task t ON t.id = d.task_id AND t.state = ${WAITING_GROUP}
WHERE d.group_id ${in_ids} AND d.met = 0
  AND NOT EXISTS (SELECT 1 FROM ${prefix}task p WHERE p.id = d.after_id AND p.state <> ${BURIED})
LIMIT ${limit}

-- Purging

-- name: old-finished
SELECT f.id FROM ${prefix}finished f
WHERE f.queue_id = ? AND f.state = ? AND f.hidden_at <= ? AND f.finished_at <= ? ORDER BY f.hidden_at LIMIT ${limit}

-- name: delete-finished
DELETE FROM ${prefix}finished WHERE id = ?

-- name: delete-attempts
DELETE FROM ${prefix}attempt WHERE task_id = ?

-- name: old-given-back
SELECT id FROM ${prefix}attempt WHERE number = 0 AND ended <= ? ORDER BY ended LIMIT ${limit}

-- name: delete-attempt
DELETE FROM ${prefix}attempt WHERE id = ?

-- name: old-idempotency
-- Not those that a transaction of a caller's holds, for as long as he likes.
SELECT queue_id, idempotency FROM ${prefix}idempotency WHERE known_until <= ? ORDER BY known_until LIMIT ${limit}
${skip_locked}

-- name: delete-idempotency
DELETE FROM ${prefix}idempotency WHERE queue_id = ? AND idempotency = ? AND known_until <= ?

-- name: old-groups
SELECT id FROM ${prefix}task_group WHERE ended_at <= ? LIMIT ${limit}

-- name: delete-group
DELETE FROM ${prefix}task_group WHERE id = ?

-- name: delete-group-dependencies
DELETE FROM ${prefix}dependency WHERE group_id = ?

-- name: delete-group-counts
DELETE FROM ${prefix}group_count WHERE group_id = ?

-- Locks

-- name: hold-lock
-- Until the transaction ends, by writing, which keeps everybody else from it on all engines.
UPDATE ${prefix}lock SET holder = holder + 1 WHERE name = ?

-- name: renew-expired-lock
UPDATE ${prefix}lock SET holder = ?, held_until = ? WHERE name = ? AND held_until <= ?

-- name: renew-lock
UPDATE ${prefix}lock SET held_until = ? WHERE name = ? AND holder = ? AND held_until > ?

-- name: release-lock
DELETE FROM ${prefix}lock WHERE name = ? AND holder = ?

-- What another process may have changed, for those who sleep here

-- name: next-timer
SELECT min(timer_at) FROM ${prefix}task WHERE timer_at IS NOT NULL

-- name: news
-- All that somebody who sleeps may want to know: each queue and whether it has work, the sessions that are asked to stop
-- something, the next timer and the next run of a schedule.
SELECT q.id, q.name, q.options, q.paused, q.set_by, q.revision,
  CASE WHEN EXISTS (SELECT 1 FROM ${prefix}task t WHERE t.queue_id = q.id AND t.state = ${READY}) THEN 1 ELSE 0 END, 1
FROM ${prefix}queue q WHERE q.live = 1
UNION ALL
SELECT DISTINCT 0, t.session_id, NULL, 0, NULL, 0, 0, 2 FROM ${prefix}task t
WHERE t.revoke_at IS NOT NULL AND t.session_id IS NOT NULL
UNION ALL
SELECT min(t.timer_at), NULL, NULL, 0, NULL, 0, 0, 3 FROM ${prefix}task t WHERE t.timer_at IS NOT NULL
UNION ALL
SELECT min(s.next_run), NULL, NULL, 0, NULL, 0, 0, 3 FROM ${prefix}schedule s WHERE s.next_run IS NOT NULL

-- Migrations

-- name: migrations
SELECT number, compatible FROM ${prefix}migration ORDER BY number

-- name: insert-migration
INSERT INTO ${prefix}migration (number, compatible, applied) VALUES (?, ?, ${server_now})
