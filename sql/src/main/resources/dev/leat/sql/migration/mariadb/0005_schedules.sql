-- Schedules: a task that is put again and again. Times are microseconds, as everywhere; the view shows them to people.
-- Every statement can be repeated after a crash half-way.

CREATE TABLE IF NOT EXISTS ${prefix}schedule (
  name         VARCHAR(256) NOT NULL PRIMARY KEY,
  -- Of the task.
  queue        VARCHAR(128) NOT NULL,
  tenant       VARCHAR(512),
  -- Either an expression and its zone, or the time between two runs and when the first was.
  cron         VARCHAR(512),
  zone         VARCHAR(128),
  rate         BIGINT,
  rate_start   BIGINT,
  -- What becomes of missed runs: SKIP (with how late is too late), RUN_ONCE, CATCH_UP (with how many).
  missed       VARCHAR(16)  NOT NULL,
  missed_limit BIGINT,
  overlap      VARCHAR(16)  NOT NULL,
  task         LONGBLOB     NOT NULL,
  set_by       VARCHAR(16)  NOT NULL,
  paused       INTEGER      NOT NULL,
  created      BIGINT       NOT NULL,
  -- NULL while it is paused. Whoever moves it on has put the run.
  next_run     BIGINT,
  last_run     BIGINT,
  last_task    BIGINT,
  last_skip    BIGINT,
  skip_reason  TEXT,
  claims       BIGINT       NOT NULL DEFAULT 0,
  INDEX schedule_next (next_run, name),
  INDEX schedule_tenant (tenant, name)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

CREATE OR REPLACE VIEW ${prefix}schedules AS
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
  TIMESTAMPADD(MICROSECOND, s.created, TIMESTAMP'1970-01-01 00:00:00') AS created_at,
  TIMESTAMPADD(MICROSECOND, s.next_run, TIMESTAMP'1970-01-01 00:00:00') AS next_run_at,
  TIMESTAMPADD(MICROSECOND, s.last_run, TIMESTAMP'1970-01-01 00:00:00') AS last_run_at,
  s.last_task AS last_task_id,
  TIMESTAMPADD(MICROSECOND, s.last_skip, TIMESTAMP'1970-01-01 00:00:00') AS last_skip_at,
  s.skip_reason
FROM ${prefix}schedule s;
