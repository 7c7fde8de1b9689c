-- Times and durations are microseconds (times since the epoch). States are the codes of dev.leat.sql.internal.row.RowState:
-- 1 waiting for its group, 2 scheduled, 3 waiting for its key, 4 ready, 5 taken, 6 buried,
-- 11 done, 12 failed, 13 expired, 14 canceled. Live tasks are in ${prefix}task, finished ones in ${prefix}finished.

-- A dropped queue keeps its row, with live = NULL, for as long as finished tasks name it.
CREATE TABLE ${prefix}queue (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  name     TEXT    NOT NULL,
  live     INTEGER DEFAULT 1,
  options  TEXT    NOT NULL DEFAULT '{}',
  -- How long acknowledged tasks are kept, and whether with their payload; the options say so too.
  keep_done    INTEGER NOT NULL DEFAULT 86400000000,
  keep_payload INTEGER NOT NULL DEFAULT 0,
  paused   INTEGER NOT NULL DEFAULT 0,
  set_by   TEXT    NOT NULL DEFAULT 'CODE',
  revision INTEGER NOT NULL DEFAULT 0,
  UNIQUE (name, live)
);

-- place, random, take_type and spread are what a take orders and filters by; they are filled only where the queue's
-- options ask for them, so that only those queues pay for the indexes on them. Defaults are for plain inserts, which a trigger
-- completes, and are written so that SQLite 3.38 knows the functions.
CREATE TABLE ${prefix}task (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  queue_id       INTEGER NOT NULL DEFAULT 0,
  state          INTEGER NOT NULL DEFAULT 4,
  -- Beyond the range of priorities: none was given.
  priority       INTEGER NOT NULL DEFAULT 2147483648,
  place          INTEGER NOT NULL DEFAULT 0,
  random         INTEGER,
  take_type      TEXT,
  spread         TEXT,
  created        INTEGER NOT NULL DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000),
  due            INTEGER NOT NULL DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000),
  previous_due   INTEGER,
  expires        INTEGER,
  ttr            INTEGER,
  own_ttr        INTEGER,
  attempts       INTEGER NOT NULL DEFAULT 0,
  failures       INTEGER NOT NULL DEFAULT 0,
  losses         INTEGER NOT NULL DEFAULT 0,
  releases       INTEGER NOT NULL DEFAULT 0,
  nonce          INTEGER,
  session_id     TEXT,
  taken_at       INTEGER,
  lease_until    INTEGER,
  revoke_at      INTEGER,
  settled_nonce  INTEGER,
  settled_by     INTEGER NOT NULL DEFAULT 0,
  task_key       TEXT,
  address        TEXT,
  group_id       INTEGER,
  type           TEXT,
  tenant         TEXT,
  business_group TEXT,
  origin         TEXT,
  destination    TEXT,
  external_key   TEXT,
  payload_hash   TEXT,
  tags           TEXT,
  trace          TEXT,
  dead_of        INTEGER,
  message        TEXT,
  error_code     INTEGER NOT NULL DEFAULT 0,
  -- NULL stands for text/plain; charset=utf-8, which most have.
  content_type   TEXT,
  payload        BLOB,
  -- When time changes the task next: due while scheduled, the end of its lease while taken, else its time to live.
  timer_at       INTEGER GENERATED ALWAYS AS (
    CASE state
      WHEN 2 THEN due
      WHEN 5 THEN min(coalesce(lease_until, revoke_at), coalesce(revoke_at, lease_until))
      ELSE expires
    END) VIRTUAL
);

CREATE INDEX ${prefix}task_ready ON ${prefix}task (queue_id, priority, place, id) WHERE state = 4;

CREATE INDEX ${prefix}task_ready_type ON ${prefix}task (queue_id, take_type, priority, place, id)
  WHERE state = 4 AND take_type IS NOT NULL;

CREATE INDEX ${prefix}task_ready_random ON ${prefix}task (queue_id, priority, random)
  WHERE state = 4 AND random IS NOT NULL;

CREATE INDEX ${prefix}task_ready_type_random ON ${prefix}task (queue_id, take_type, priority, random)
  WHERE state = 4 AND take_type IS NOT NULL AND random IS NOT NULL;

CREATE INDEX ${prefix}task_ready_spread ON ${prefix}task (queue_id, priority, spread, place, id)
  WHERE state = 4 AND spread IS NOT NULL;

CREATE INDEX ${prefix}task_ready_type_spread ON ${prefix}task (queue_id, take_type, priority, spread, place, id)
  WHERE state = 4 AND take_type IS NOT NULL AND spread IS NOT NULL;

CREATE INDEX ${prefix}task_taken ON ${prefix}task (queue_id, session_id) WHERE state = 5;

CREATE INDEX ${prefix}task_taken_spread ON ${prefix}task (queue_id, spread) WHERE state = 5 AND spread IS NOT NULL;

CREATE INDEX ${prefix}task_to_stop ON ${prefix}task (session_id) WHERE revoke_at IS NOT NULL;

CREATE INDEX ${prefix}task_behind_key ON ${prefix}task (queue_id, task_key, priority, id) WHERE state = 3;

CREATE INDEX ${prefix}task_before_group ON ${prefix}task (queue_id) WHERE state = 1;

CREATE INDEX ${prefix}task_scheduled ON ${prefix}task (queue_id) WHERE state = 2;

CREATE INDEX ${prefix}task_buried ON ${prefix}task (queue_id, priority, id) WHERE state = 6;

CREATE INDEX ${prefix}task_timer ON ${prefix}task (timer_at) WHERE timer_at IS NOT NULL;

CREATE INDEX ${prefix}task_of_group ON ${prefix}task (group_id, state) WHERE group_id IS NOT NULL;

CREATE UNIQUE INDEX ${prefix}task_address ON ${prefix}task (queue_id, address)
  WHERE address IS NOT NULL AND state <> 6;

CREATE INDEX ${prefix}task_equivalent ON ${prefix}task (queue_id, external_key, payload_hash)
  WHERE payload_hash IS NOT NULL;

-- Shown until hidden_at; known for some minutes longer, to recognise settles that are repeated.
CREATE TABLE ${prefix}finished (
  id             INTEGER PRIMARY KEY,
  queue_id       INTEGER NOT NULL,
  state          INTEGER NOT NULL,
  finished_at    INTEGER NOT NULL,
  hidden_at      INTEGER NOT NULL,
  priority       INTEGER NOT NULL,
  created        INTEGER NOT NULL,
  due            INTEGER NOT NULL,
  previous_due   INTEGER,
  expires        INTEGER,
  ttr            INTEGER,
  attempts       INTEGER NOT NULL,
  failures       INTEGER NOT NULL,
  losses         INTEGER NOT NULL,
  releases       INTEGER NOT NULL,
  settled_nonce  INTEGER,
  settled_by     INTEGER NOT NULL,
  task_key       TEXT,
  address        TEXT,
  group_id       INTEGER,
  type           TEXT,
  tenant         TEXT,
  business_group TEXT,
  origin         TEXT,
  destination    TEXT,
  external_key   TEXT,
  payload_hash   TEXT,
  tags           TEXT,
  trace          TEXT,
  dead_of        INTEGER,
  message        TEXT,
  error_code     INTEGER NOT NULL,
  result_type    TEXT,
  result         BLOB,
  content_type   TEXT,
  payload        BLOB
);

CREATE INDEX ${prefix}finished_hidden ON ${prefix}finished (queue_id, state, hidden_at);

CREATE INDEX ${prefix}finished_equivalent ON ${prefix}finished (queue_id, external_key, payload_hash)
  WHERE payload_hash IS NOT NULL;

-- Unsuccessful deliveries. A delivery that was given back has number 0: it was no attempt, but its settle is known.
CREATE TABLE ${prefix}attempt (
  id         INTEGER PRIMARY KEY,
  task_id    INTEGER NOT NULL,
  number     INTEGER NOT NULL,
  started    INTEGER NOT NULL,
  ended      INTEGER NOT NULL,
  outcome    TEXT    NOT NULL,
  message    TEXT    NOT NULL,
  session_id TEXT,
  next_due   INTEGER,
  nonce      INTEGER NOT NULL,
  settled_by INTEGER NOT NULL
);

CREATE INDEX ${prefix}attempt_task ON ${prefix}attempt (task_id, id);

CREATE INDEX ${prefix}attempt_given_back ON ${prefix}attempt (ended) WHERE number = 0;

-- Who runs for a key. This primary key is the exclusion: whoever has the row runs, nobody else can.
CREATE TABLE ${prefix}key_lease (
  queue_id INTEGER NOT NULL,
  task_key TEXT    NOT NULL,
  task_id  INTEGER NOT NULL,
  PRIMARY KEY (queue_id, task_key)
) WITHOUT ROWID;

-- waiting tells how many takes wait for which queue, as JSON.
CREATE TABLE ${prefix}session (
  id           TEXT    PRIMARY KEY,
  dead_after   INTEGER NOT NULL,
  grace        INTEGER NOT NULL,
  heard        INTEGER NOT NULL,
  disconnected INTEGER,
  waiting      TEXT
) WITHOUT ROWID;

-- open_name is the name while the group has not ended, and NULL afterwards.
CREATE TABLE ${prefix}task_group (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT    NOT NULL,
  open_name    TEXT    UNIQUE,
  state        TEXT    NOT NULL,
  on_failure   TEXT    NOT NULL,
  ends_as      TEXT    NOT NULL,
  end_task     BLOB,
  abort_task   BLOB,
  closing_task INTEGER,
  ended_at     INTEGER
);

CREATE INDEX ${prefix}group_state ON ${prefix}task_group (state);

CREATE INDEX ${prefix}group_ended ON ${prefix}task_group (ended_at) WHERE ended_at IS NOT NULL;

-- Tasks that have left a group. Settles append here and never write the group itself.
CREATE TABLE ${prefix}group_count (
  id       INTEGER PRIMARY KEY,
  group_id INTEGER NOT NULL,
  done     INTEGER NOT NULL,
  failed   INTEGER NOT NULL,
  canceled INTEGER NOT NULL
);

CREATE INDEX ${prefix}group_count_group ON ${prefix}group_count (group_id);

CREATE TABLE ${prefix}idempotency (
  queue_id    INTEGER NOT NULL,
  idempotency TEXT    NOT NULL,
  task_id     INTEGER NOT NULL,
  known_until INTEGER NOT NULL,
  PRIMARY KEY (queue_id, idempotency)
) WITHOUT ROWID;

CREATE INDEX ${prefix}idempotency_until ON ${prefix}idempotency (known_until);

CREATE TABLE ${prefix}lock (
  name       TEXT    PRIMARY KEY,
  holder     INTEGER NOT NULL,
  held_until INTEGER NOT NULL
) WITHOUT ROWID;
