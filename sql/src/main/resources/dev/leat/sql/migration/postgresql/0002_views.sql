-- What people and BI tools look at; docs/sql.md says what the columns mean. Leat itself reads none of it.
-- The time is the database's own here, also where a test has brought its clock.

-- When the delivery was due: the task itself only knows its last two due times.
ALTER TABLE ${prefix}attempt ADD COLUMN due BIGINT;

-- Bytes as text where their type says that they are; NULL when they are not, or not UTF-8 after all.
CREATE FUNCTION ${prefix}text(content_type TEXT, bytes BYTEA) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  RETURN CASE WHEN content_type LIKE 'text/%' OR content_type LIKE '%/json%' OR content_type LIKE '%+json%'
      OR content_type LIKE '%/xml%' OR content_type LIKE '%+xml%'
    THEN convert_from(bytes, 'UTF8') END;
EXCEPTION WHEN character_not_in_repertoire OR untranslatable_character THEN
  RETURN NULL;
END
$$;

-- One row per task, live or finished.
CREATE VIEW ${prefix}tasks AS
SELECT
  t.id,
  q.name AS queue,
  CASE t.state
    WHEN ${SCHEDULED} THEN 'SCHEDULED' WHEN ${READY} THEN 'READY' WHEN ${TAKEN} THEN 'TAKEN'
    WHEN ${BURIED} THEN 'BURIED' WHEN ${DONE} THEN 'DONE' WHEN ${FAILED} THEN 'FAILED'
    WHEN ${EXPIRED} THEN 'EXPIRED' WHEN ${CANCELED} THEN 'CANCELED' ELSE 'WAITING' END AS state,
  CASE t.state WHEN ${WAITING_GROUP} THEN 'GROUP' WHEN ${WAITING_KEY} THEN 'KEY' END AS waits_for,
  t.priority,
  to_timestamp(t.created / 1e6) AS put_at,
  to_timestamp(t.due / 1e6) AS due_at,
  to_timestamp(t.previous_due / 1e6) AS previous_due_at,
  to_timestamp(t.expires / 1e6) AS expires_at,
  t.ttr / 1e6 AS ttr_seconds,
  t.attempts,
  t.failures,
  t.losses,
  t.releases,
  t.session_id AS session,
  to_timestamp(t.taken_at / 1e6) AS taken_at,
  to_timestamp(t.lease_until / 1e6) AS lease_until,
  t.revoke_at IS NOT NULL AS cancel_requested,
  to_timestamp(t.finished_at / 1e6) AS finished_at,
  to_timestamp(t.hidden_at / 1e6) AS kept_until,
  t.task_key,
  t.address,
  t.group_id,
  g.name AS group_name,
  t.type,
  t.tenant,
  t.business_group,
  t.origin,
  t.destination,
  t.external_key,
  t.payload_hash,
  t.tags,
  t.trace,
  t.dead_of,
  t.message,
  t.error_code,
  t.content_type,
  t.payload,
  ${prefix}text(t.content_type, t.payload) AS payload_text,
  t.result_type,
  t.result,
  ${prefix}text(t.result_type, t.result) AS result_text
FROM (
  SELECT
    id, queue_id, state, priority, created, due, previous_due, expires, ttr, attempts, failures, losses, releases,
    session_id, taken_at, lease_until, revoke_at, CAST(NULL AS BIGINT) AS finished_at, CAST(NULL AS BIGINT) AS hidden_at,
    task_key, address, group_id, type, tenant, business_group, origin, destination, external_key, payload_hash, tags,
    trace, dead_of, message, error_code, coalesce(content_type, '${text_type}') AS content_type, payload,
    CAST(NULL AS TEXT) AS result_type, CAST(NULL AS BYTEA) AS result
  FROM ${prefix}task
  UNION ALL
  SELECT
    id, queue_id, state, priority, created, due, previous_due, expires, ttr, attempts, failures, losses, releases,
    NULL, NULL, NULL, NULL, finished_at, hidden_at,
    task_key, address, group_id, type, tenant, business_group, origin, destination, external_key, payload_hash, tags,
    trace, dead_of, message, error_code, coalesce(content_type, '${text_type}') AS content_type, payload, result_type, result
  FROM ${prefix}finished WHERE hidden_at > ${server_now}) t
JOIN ${prefix}queue q ON q.id = t.queue_id
LEFT JOIN ${prefix}task_group g ON g.id = t.group_id;

-- One row per attempt: those that ended without success, and then the one that is to come, runs, or was the last.
-- The latter has no row if the task ended with an attempt that is in the table (its number is the task's, and nothing was
-- to follow it).
CREATE VIEW ${prefix}attempts AS
SELECT
  t.id AS task_id,
  a.number AS attempt,
  t.queue,
  a.outcome AS status,
  t.put_at,
  to_timestamp(a.due / 1e6) AS due_at,
  to_timestamp(a.started / 1e6) AS started_at,
  to_timestamp(a.ended / 1e6) AS ended_at,
  to_timestamp(a.next_due / 1e6) AS next_due_at,
  a.message,
  a.session_id AS session,
  a.next_due IS NOT NULL AS requeued,
  a.next_due IS NULL AND a.outcome IN ('FAILED', 'LOST') AS exhausted,
  p.outcome AS previous_status,
  to_timestamp(p.due / 1e6) AS previous_due_at,
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
  CASE a.number WHEN 1 THEN t.payload_text END AS payload_text
FROM ${prefix}attempt a
JOIN ${prefix}tasks t ON t.id = a.task_id
LEFT JOIN ${prefix}attempt p ON p.task_id = a.task_id AND p.number = a.number - 1 AND p.number > 0
WHERE a.number > 0
UNION ALL
SELECT
  t.id,
  CASE WHEN l.id IS NULL AND t.attempts > 0 THEN t.attempts ELSE t.attempts + 1 END,
  t.queue,
  t.state,
  t.put_at,
  coalesce(to_timestamp(l.next_due / 1e6), t.due_at),
  t.taken_at,
  t.finished_at,
  NULL,
  CASE WHEN t.state NOT IN ('WAITING', 'SCHEDULED', 'READY', 'TAKEN') THEN t.message END,
  t.session,
  FALSE,
  FALSE,
  p.outcome,
  to_timestamp(p.due / 1e6),
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
  CASE WHEN t.attempts = 0 OR (t.attempts = 1 AND l.id IS NULL) THEN t.payload_text END
FROM ${prefix}tasks t
LEFT JOIN ${prefix}attempt l ON l.task_id = t.id AND l.number = t.attempts AND l.number > 0
LEFT JOIN ${prefix}attempt p
  ON p.task_id = t.id AND p.number = CASE WHEN l.id IS NULL THEN t.attempts - 1 ELSE t.attempts END AND p.number > 0
WHERE t.state IN ('WAITING', 'SCHEDULED', 'READY', 'TAKEN') OR l.id IS NULL OR l.next_due IS NOT NULL;

-- The same with the columns of nsj-queue-lib, for queries that were written for its table. There each attempt has a number
-- of its own: here the task's, followed by six digits for the attempt's.
CREATE VIEW ${prefix}tarefas AS
SELECT
  CAST(a.task_id AS NUMERIC) * 1000000 + a.attempt AS id,
  CAST(a.task_id AS NUMERIC) * 1000000 + 1 AS id_inicial,
  a.put_at AS data_hora_inicial,
  a.due_at AS data_hora,
  a.origin AS origem,
  a.destination AS destino,
  coalesce(a.type, a.queue) AS processo,
  a.external_key AS chave_externa,
  a.next_due_at AS proxima_tentativa,
  a.attempt AS tentativa,
  CASE a.status
    WHEN 'SCHEDULED' THEN 'agendada' WHEN 'READY' THEN 'pendente' WHEN 'WAITING' THEN 'pendente'
    WHEN 'TAKEN' THEN 'processando' WHEN 'DONE' THEN 'sucesso' WHEN 'FAILED' THEN 'falha' WHEN 'BURIED' THEN 'falha'
    WHEN 'LOST' THEN 'falha_processando' WHEN 'RELEASED' THEN 'devolvida' WHEN 'EXPIRED' THEN 'expirada'
    WHEN 'CANCELED' THEN 'cancelada' END AS status,
  a.requeued AS reenfileirado,
  a.exhausted AS estouro_tentativas,
  a.message AS mensagem,
  CASE WHEN a.previous_status IS NOT NULL THEN CAST(a.task_id AS NUMERIC) * 1000000 + a.attempt - 1 END AS id_anterior,
  a.previous_due_at AS data_hora_anterior,
  CASE a.previous_status
    WHEN 'FAILED' THEN 'falha' WHEN 'BURIED' THEN 'falha' WHEN 'LOST' THEN 'falha_processando'
    WHEN 'RELEASED' THEN 'devolvida' END AS status_anterior,
  a.previous_message AS mensagem_anterior,
  a.payload_text AS payload,
  a.tenant,
  a.business_group AS grupo_empresarial,
  a.payload_hash,
  FALSE AS pub_sub,
  CAST(NULL AS BIGINT) AS publication_id,
  CAST(NULL AS TEXT) AS subscriber_id,
  a.dead_of IS NOT NULL AS dead,
  CAST(a.dead_of AS NUMERIC) * 1000000 + 1 AS live_id,
  -CAST(a.priority AS BIGINT) AS prioridade,
  a.queue AS fila,
  a.task_id AS id_leat
FROM ${prefix}attempts a;

-- Of each queue the ready task that was due first.
CREATE VIEW ${prefix}oldest_waiting AS
SELECT
  q.name AS queue,
  t.id AS task_id,
  t.priority,
  t.type,
  t.task_key,
  to_timestamp(t.created / 1e6) AS put_at,
  to_timestamp(t.due / 1e6) AS due_at,
  (${server_now} - t.due) / 1e6 AS age_seconds
FROM ${prefix}queue q
JOIN ${prefix}task t ON t.id = (
  SELECT o.id FROM ${prefix}task o WHERE o.queue_id = q.id AND o.state = ${READY} ORDER BY o.due, o.id LIMIT 1)
WHERE q.live = 1;

-- One row per queue. Each count is an index scan of its own, and only made when it is asked for.
CREATE VIEW ${prefix}queues AS
SELECT
  q.name AS queue,
  q.paused = 1 AS paused,
  coalesce((SELECT sum(CAST(CAST(s.waiting AS JSONB) ->> q.name AS INTEGER)) FROM ${prefix}session s), 0) AS consumers,
  (SELECT count(*) FROM ${prefix}task t WHERE t.queue_id = q.id AND t.state = ${WAITING_GROUP})
    + (SELECT count(*) FROM ${prefix}task t WHERE t.queue_id = q.id AND t.task_key IS NOT NULL AND t.state = ${WAITING_KEY}) AS waiting,
  (SELECT count(*) FROM ${prefix}task t WHERE t.queue_id = q.id AND t.state = ${SCHEDULED}) AS scheduled,
  (SELECT count(*) FROM ${prefix}task t WHERE t.queue_id = q.id AND t.state = ${READY}) AS ready,
  (SELECT count(*) FROM ${prefix}task t WHERE t.queue_id = q.id AND t.state = ${TAKEN}) AS taken,
  (SELECT count(*) FROM ${prefix}task t WHERE t.queue_id = q.id AND t.state = ${BURIED}) AS buried,
  (SELECT count(*) FROM ${prefix}finished f
    WHERE f.queue_id = q.id AND f.state = ${DONE} AND f.hidden_at > ${server_now}) AS done,
  (SELECT count(*) FROM ${prefix}finished f
    WHERE f.queue_id = q.id AND f.state = ${FAILED} AND f.hidden_at > ${server_now}) AS failed,
  (SELECT count(*) FROM ${prefix}finished f
    WHERE f.queue_id = q.id AND f.state = ${EXPIRED} AND f.hidden_at > ${server_now}) AS expired,
  (SELECT count(*) FROM ${prefix}finished f
    WHERE f.queue_id = q.id AND f.state = ${CANCELED} AND f.hidden_at > ${server_now}) AS canceled,
  o.task_id AS oldest_task_id,
  o.due_at AS oldest_due_at,
  o.age_seconds AS oldest_age_seconds
FROM ${prefix}queue q
LEFT JOIN ${prefix}oldest_waiting o ON o.queue = q.name
WHERE q.live = 1;

-- Attempts that ended badly, put together by what was said.
CREATE VIEW ${prefix}failures AS
SELECT
  t.queue,
  a.outcome,
  a.message,
  count(*) AS attempts,
  count(DISTINCT a.task_id) AS tasks,
  to_timestamp(min(a.ended) / 1e6) AS first_at,
  to_timestamp(max(a.ended) / 1e6) AS last_at,
  max(a.task_id) AS example_task_id
FROM ${prefix}attempt a
JOIN ${prefix}tasks t ON t.id = a.task_id
WHERE a.number > 0 AND a.outcome IN ('FAILED', 'LOST', 'BURIED')
GROUP BY t.queue, a.outcome, a.message;
