-- Schedules: a task that is put again and again. Times are microseconds, as everywhere; the view shows them to people.

CREATE TABLE ${prefix}schedule (
  name         TEXT    COLLATE "C" PRIMARY KEY,
  -- Of the task.
  queue        TEXT    NOT NULL,
  tenant       TEXT,
  -- Either an expression and its zone, or the time between two runs and when the first was.
  cron         TEXT,
  zone         TEXT,
  rate         BIGINT,
  rate_start   BIGINT,
  -- What becomes of missed runs: SKIP (with how late is too late), RUN_ONCE, CATCH_UP (with how many).
  missed       TEXT    NOT NULL,
  missed_limit BIGINT,
  overlap      TEXT    NOT NULL,
  task         BYTEA   NOT NULL,
  set_by       TEXT    NOT NULL,
  paused       INTEGER NOT NULL,
  created      BIGINT  NOT NULL,
  -- NULL while it is paused. Whoever moves it on has put the run.
  next_run     BIGINT,
  last_run     BIGINT,
  last_task    BIGINT,
  last_skip    BIGINT,
  skip_reason  TEXT
);

CREATE INDEX ${name}schedule_next ON ${prefix}schedule (next_run, name) WHERE next_run IS NOT NULL;

CREATE INDEX ${name}schedule_tenant ON ${prefix}schedule (tenant, name) WHERE tenant IS NOT NULL;

CREATE VIEW ${prefix}schedules AS
SELECT
  s.name,
  s.queue,
  s.tenant,
  s.cron,
  s.zone,
  s.rate / 1e6 AS every_seconds,
  s.missed,
  s.overlap,
  s.paused = 1 AS paused,
  s.set_by,
  to_timestamp(s.created / 1e6) AS created_at,
  to_timestamp(s.next_run / 1e6) AS next_run_at,
  to_timestamp(s.last_run / 1e6) AS last_run_at,
  s.last_task AS last_task_id,
  to_timestamp(s.last_skip / 1e6) AS last_skip_at,
  s.skip_reason
FROM ${prefix}schedule s;
