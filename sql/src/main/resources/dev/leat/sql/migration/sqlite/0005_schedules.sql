-- Schedules: a task that is put again and again. Times are microseconds, as everywhere; the view shows them to people.

CREATE TABLE ${prefix}schedule (
  name         TEXT    PRIMARY KEY,
  -- Of the task.
  queue        TEXT    NOT NULL,
  tenant       TEXT,
  -- Either an expression and its zone, or the time between two runs and when the first was.
  cron         TEXT,
  zone         TEXT,
  rate         INTEGER,
  rate_start   INTEGER,
  -- What becomes of missed runs: SKIP (with how late is too late), RUN_ONCE, CATCH_UP (with how many).
  missed       TEXT    NOT NULL,
  missed_limit INTEGER,
  overlap      TEXT    NOT NULL,
  task         BLOB    NOT NULL,
  set_by       TEXT    NOT NULL,
  paused       INTEGER NOT NULL,
  created      INTEGER NOT NULL,
  -- NULL while it is paused. Whoever moves it on has put the run.
  next_run     INTEGER,
  last_run     INTEGER,
  last_task    INTEGER,
  last_skip    INTEGER,
  skip_reason  TEXT
) WITHOUT ROWID;

CREATE INDEX ${prefix}schedule_next ON ${prefix}schedule (next_run, name) WHERE next_run IS NOT NULL;

CREATE INDEX ${prefix}schedule_tenant ON ${prefix}schedule (tenant, name) WHERE tenant IS NOT NULL;

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
  strftime('%Y-%m-%dT%H:%M:%fZ', s.created / 1e6, 'unixepoch') AS created_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.next_run / 1e6, 'unixepoch') AS next_run_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.last_run / 1e6, 'unixepoch') AS last_run_at,
  s.last_task AS last_task_id,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.last_skip / 1e6, 'unixepoch') AS last_skip_at,
  s.skip_reason
FROM ${prefix}schedule s;
