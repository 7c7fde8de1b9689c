-- The exception that ended an attempt: its class, and its stack trace of at most 4,096 bytes. NULL where there was none, or where the
-- holder only said a message.
-- Every statement can be repeated after a crash half-way.
ALTER TABLE ${prefix}attempt
  ADD COLUMN /*M! IF NOT EXISTS */ exception VARCHAR(512),
  ADD COLUMN /*M! IF NOT EXISTS */ stack_trace TEXT;

-- One row per attempt: those that ended without success, and then the one that is to come, runs, or was the last.
-- The latter has no row if the task ended with an attempt that is in the table (its number is the task's, and nothing was
-- to follow it). Without statistics the server would look for attempts by their number, among those of all
-- tasks.
CREATE OR REPLACE VIEW ${prefix}attempts AS
SELECT
  t.id AS task_id,
  a.number AS attempt,
  t.queue,
  a.outcome AS status,
  t.put_at,
  TIMESTAMPADD(MICROSECOND, a.due, TIMESTAMP'1970-01-01 00:00:00') AS due_at,
  TIMESTAMPADD(MICROSECOND, a.started, TIMESTAMP'1970-01-01 00:00:00') AS started_at,
  TIMESTAMPADD(MICROSECOND, a.ended, TIMESTAMP'1970-01-01 00:00:00') AS ended_at,
  TIMESTAMPADD(MICROSECOND, a.next_due, TIMESTAMP'1970-01-01 00:00:00') AS next_due_at,
  a.message,
  a.session_id AS session,
  a.next_due IS NOT NULL AS requeued,
  a.next_due IS NULL AND a.outcome IN ('FAILED', 'LOST') AS exhausted,
  p.outcome AS previous_status,
  TIMESTAMPADD(MICROSECOND, p.due, TIMESTAMP'1970-01-01 00:00:00') AS previous_due_at,
  p.message AS previous_message,
  t.priority,
  t.type,
  t.tenant,
  t.business_group,
  t.origin,
  t.destination,
  t.external_key,
  t.payload_hash,
  t.dead_of,
  CASE a.number WHEN 1 THEN t.payload_text END AS payload_text,
  t.publication,
  t.publication_id,
  t.subscriber,
  a.exception,
  a.stack_trace
FROM ${prefix}attempt a
JOIN ${prefix}tasks t ON t.id = a.task_id
LEFT JOIN ${prefix}attempt p FORCE INDEX (attempt_task) ON p.task_id = a.task_id AND p.number = a.number - 1 AND p.number > 0
WHERE a.number > 0
UNION ALL
SELECT
  t.id,
  CASE WHEN l.id IS NULL AND t.attempts > 0 THEN t.attempts ELSE t.attempts + 1 END,
  t.queue,
  t.state,
  t.put_at,
  coalesce(TIMESTAMPADD(MICROSECOND, l.next_due, TIMESTAMP'1970-01-01 00:00:00'), t.due_at),
  t.taken_at,
  t.finished_at,
  NULL,
  CASE WHEN t.state NOT IN ('WAITING', 'SCHEDULED', 'READY', 'TAKEN') THEN t.message END,
  t.session,
  FALSE,
  FALSE,
  p.outcome,
  TIMESTAMPADD(MICROSECOND, p.due, TIMESTAMP'1970-01-01 00:00:00'),
  p.message,
  t.priority,
  t.type,
  t.tenant,
  t.business_group,
  t.origin,
  t.destination,
  t.external_key,
  t.payload_hash,
  t.dead_of,
  CASE WHEN t.attempts = 0 OR (t.attempts = 1 AND l.id IS NULL) THEN t.payload_text END,
  t.publication,
  t.publication_id,
  t.subscriber,
  NULL,
  NULL
FROM ${prefix}tasks t
LEFT JOIN ${prefix}attempt l FORCE INDEX (attempt_task) ON l.task_id = t.id AND l.number = t.attempts AND l.number > 0
LEFT JOIN ${prefix}attempt p FORCE INDEX (attempt_task)
  ON p.task_id = t.id AND p.number = CASE WHEN l.id IS NULL THEN t.attempts - 1 ELSE t.attempts END AND p.number > 0
WHERE t.state IN ('WAITING', 'SCHEDULED', 'READY', 'TAKEN') OR l.id IS NULL OR l.next_due IS NOT NULL;
