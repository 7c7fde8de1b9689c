-- Lists and counts of tasks.

-- fragment: matches_filters
(CAST(:type AS ${text}) IS NULL OR t.type = :type) AND (CAST(:tenant AS ${text}) IS NULL OR t.tenant = :tenant)
  AND (CAST(:key AS ${text}) IS NULL OR t.task_key = :key) AND (CAST(:address AS ${text}) IS NULL OR t.address = :address)
  AND (CAST(:group AS ${bigint}) IS NULL OR t.group_id = :group)
  AND (CAST(:subscriber AS ${text}) IS NULL OR t.subscriber = :subscriber)
  AND (CAST(:message AS ${text}) IS NULL OR length(replace(t.message, :message, '')) < length(t.message))

-- name: list-live
SELECT ${live_columns} FROM ${prefix}task t
WHERE t.id > :after AND (CAST(:queue_id AS ${bigint}) IS NULL OR t.queue_id = :queue_id) AND ${matches_filters}
  AND t.state IN (:waiting_group, :scheduled, :waiting_key, :ready, :taken, :buried)
ORDER BY t.id LIMIT ${named_limit}

-- name: list-finished
SELECT ${finished_columns} FROM ${prefix}finished t
WHERE t.id > :after AND (CAST(:queue_id AS ${bigint}) IS NULL OR t.queue_id = :queue_id) AND ${matches_filters}
  AND t.state IN (:done, :failed, :expired, :canceled) AND t.hidden_at > :now
ORDER BY t.id LIMIT ${named_limit}

-- fragment: only_by_state
-- For dialects that have to name the index.

-- fragment: matching_buried
-- "+ 0" keeps the planner off the primary key, on which it would search few buried tasks among millions of others.
FROM ${prefix}task t ${only_by_state}
WHERE t.queue_id = :queue_id AND t.state = ${BURIED} AND t.id + 0 > :after AND ${matches_filters}

-- name: matching-buried
SELECT t.id ${matching_buried} ORDER BY t.id + 0 LIMIT ${named_limit}

-- name: count-matching-buried
SELECT count(*) FROM (SELECT 1 ${matching_buried} LIMIT ${named_limit}) c

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
-- Counts each state separately, because no index has all states.
SELECT c.tenant, c.business_group, c.state, count(*) FROM (
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}task t
    WHERE t.queue_id = :queue_id AND t.state = ${WAITING_GROUP} LIMIT ${named_limit}) waiting_group
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}task t
    WHERE t.queue_id = :queue_id AND t.state = ${SCHEDULED} LIMIT ${named_limit}) scheduled
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}task t
    WHERE t.queue_id = :queue_id AND t.task_key IS NOT NULL AND t.state = ${WAITING_KEY} LIMIT ${named_limit}) waiting_key
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}task t
    WHERE t.queue_id = :queue_id AND t.state = ${READY} LIMIT ${named_limit}) ready
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}task t
    WHERE t.queue_id = :queue_id AND t.state = ${TAKEN} LIMIT ${named_limit}) taken
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}task t
    WHERE t.queue_id = :queue_id AND t.state = ${BURIED} LIMIT ${named_limit}) buried
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}finished t
    WHERE t.queue_id = :queue_id AND t.state = ${DONE} AND t.hidden_at > :now LIMIT ${named_limit}) done
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}finished t
    WHERE t.queue_id = :queue_id AND t.state = ${FAILED} AND t.hidden_at > :now LIMIT ${named_limit}) failed
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}finished t
    WHERE t.queue_id = :queue_id AND t.state = ${EXPIRED} AND t.hidden_at > :now LIMIT ${named_limit}) expired
  UNION ALL
  SELECT * FROM (
    SELECT t.tenant, t.business_group, t.state FROM ${prefix}finished t
    WHERE t.queue_id = :queue_id AND t.state = ${CANCELED} AND t.hidden_at > :now LIMIT ${named_limit}) canceled) c
GROUP BY c.tenant, c.business_group, c.state
