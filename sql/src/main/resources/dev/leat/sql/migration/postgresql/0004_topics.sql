-- Topics: a publication is a task with the publication_id 0, a subscriber's copy has that of its publication.
-- INSERT INTO ${prefix}subscription (id, topic) VALUES ('billing', 'orders') subscribes.

ALTER TABLE ${prefix}task ADD COLUMN publication_id BIGINT, ADD COLUMN subscriber TEXT;

ALTER TABLE ${prefix}finished ADD COLUMN publication_id BIGINT, ADD COLUMN subscriber TEXT;

CREATE TABLE ${prefix}subscription (
  id             TEXT    PRIMARY KEY,
  topic          TEXT    NOT NULL,
  -- Where its copies go; NULL is the topic's own.
  queue          TEXT,
  tenant         TEXT,
  business_group TEXT,
  -- Where its copies are sent to by 'leat webhooks', and how; NULL for what was not said.
  url            TEXT,
  http_method    TEXT,
  -- {"name": "value"}
  headers        TEXT,
  -- With blanks between.
  secrets        TEXT,
  -- Microseconds.
  timeout        BIGINT,
  active         INTEGER NOT NULL DEFAULT 1,
  reason         TEXT,
  created        BIGINT  NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
);

CREATE INDEX ${name}subscription_topic ON ${prefix}subscription (topic);

-- The views show both.

-- One row per task, live or finished.
CREATE OR REPLACE VIEW ${prefix}tasks AS
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
  ${prefix}text(t.result_type, t.result) AS result_text,
  coalesce(t.publication_id = 0, FALSE) AS publication,
  nullif(t.publication_id, 0) AS publication_id,
  t.subscriber
FROM (
  SELECT
    id, queue_id, state, priority, created, due, previous_due, expires, ttr, attempts, failures, losses, releases,
    session_id, taken_at, lease_until, revoke_at, CAST(NULL AS BIGINT) AS finished_at, CAST(NULL AS BIGINT) AS hidden_at,
    task_key, address, group_id, type, tenant, business_group, origin, destination, external_key, payload_hash, tags,
    trace, dead_of, message, error_code, coalesce(content_type, '${text_type}') AS content_type, payload,
    CAST(NULL AS TEXT) AS result_type, CAST(NULL AS BYTEA) AS result, publication_id, subscriber
  FROM ${prefix}task
  UNION ALL
  SELECT
    id, queue_id, state, priority, created, due, previous_due, expires, ttr, attempts, failures, losses, releases,
    NULL, NULL, NULL, NULL, finished_at, hidden_at,
    task_key, address, group_id, type, tenant, business_group, origin, destination, external_key, payload_hash, tags,
    trace, dead_of, message, error_code, coalesce(content_type, '${text_type}') AS content_type, payload, result_type, result, publication_id, subscriber
  FROM ${prefix}finished WHERE hidden_at > ${server_now}) t
JOIN ${prefix}queue q ON q.id = t.queue_id
LEFT JOIN ${prefix}task_group g ON g.id = t.group_id;

-- One row per attempt: those that ended without success, and then the one that is to come, runs, or was the last.
-- The latter has no row if the task ended with an attempt that is in the table (its number is the task's, and nothing was
-- to follow it).
CREATE OR REPLACE VIEW ${prefix}attempts AS
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
  CASE a.number WHEN 1 THEN t.payload_text END AS payload_text,
  t.publication,
  t.publication_id,
  t.subscriber
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
  CASE WHEN t.attempts = 0 OR (t.attempts = 1 AND l.id IS NULL) THEN t.payload_text END,
  t.publication,
  t.publication_id,
  t.subscriber
FROM ${prefix}tasks t
LEFT JOIN ${prefix}attempt l ON l.task_id = t.id AND l.number = t.attempts AND l.number > 0
LEFT JOIN ${prefix}attempt p
  ON p.task_id = t.id AND p.number = CASE WHEN l.id IS NULL THEN t.attempts - 1 ELSE t.attempts END AND p.number > 0
WHERE t.state IN ('WAITING', 'SCHEDULED', 'READY', 'TAKEN') OR l.id IS NULL OR l.next_due IS NOT NULL;

-- The same with the columns of nsj-queue-lib, for queries that were written for its table. There each attempt has a number
-- of its own: here the task's, followed by six digits for the attempt's.
-- Its ids are wider than before, which a view cannot change.
DROP VIEW ${prefix}tarefas;

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
  a.publication AS pub_sub,
  CAST(a.publication_id AS NUMERIC) * 1000000 + 1 AS publication_id,
  a.subscriber AS subscriber_id,
  a.dead_of IS NOT NULL AS dead,
  CAST(a.dead_of AS NUMERIC) * 1000000 + 1 AS live_id,
  -CAST(a.priority AS BIGINT) AS prioridade,
  a.queue AS fila,
  a.task_id AS id_leat
FROM ${prefix}attempts a;
