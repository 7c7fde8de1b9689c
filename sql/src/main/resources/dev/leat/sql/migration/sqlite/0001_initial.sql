-- The tables, triggers and views of Leat. Live tasks are in ${prefix}task, finished tasks in ${prefix}finished.
-- Times are microseconds since the epoch, durations are microseconds.
-- States are the codes of dev.leat.sql.internal.row.RowState: 1 waits for its group, 2 scheduled, 3 waits for its key,
-- 4 ready, 5 taken, 6 buried, 11 done, 12 failed, 13 expired, 14 canceled.

-- A dropped queue keeps its row with live = NULL while finished tasks refer to it.
CREATE TABLE ${prefix}queue (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  name     TEXT    NOT NULL,
  live     INTEGER DEFAULT 1,
  options  TEXT    NOT NULL DEFAULT '{}',
  -- The retention of DONE tasks and whether they keep their payload. Copied from the options, for statements that read no JSON.
  keep_done    INTEGER NOT NULL DEFAULT 86400000000,
  keep_payload INTEGER NOT NULL DEFAULT 0,
  paused   INTEGER NOT NULL DEFAULT 0,
  set_by   TEXT    NOT NULL DEFAULT 'CODE',
  revision INTEGER NOT NULL DEFAULT 0,
  UNIQUE (name, live)
);

-- Takes order and filter by place, random, take_type and spread. Leat fills them only where the options of the queue ask for
-- it, so that only these queues pay for the indexes.
-- The defaults are for plain inserts, which a trigger completes. They use functions of SQLite 3.38 only.
CREATE TABLE ${prefix}task (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  queue_id       INTEGER NOT NULL DEFAULT 0,
  state          INTEGER NOT NULL DEFAULT 4,
  -- The default is outside of the range of priorities and means that the insert gave none.
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
  -- 0 for a publication; the id of the publication for a copy.
  publication_id INTEGER,
  subscriber     TEXT,
  message        TEXT,
  error_code     INTEGER NOT NULL DEFAULT 0,
  -- The last chunk that the running task has reported. It counts while chunk_nonce equals nonce, so it ends with the lease
  -- and no take, settle or loss has to reset it.
  chunk          INTEGER,
  chunk_nonce    INTEGER,
  -- Only plain inserts name these two. The trigger reads them and sets them to NULL.
  queue          TEXT,
  text           TEXT,
  -- NULL stands for text/plain; charset=utf-8, the type of most tasks.
  content_type   TEXT,
  payload        BLOB,
  -- The next timer of the task: its due time while scheduled, the end of its lease while taken, else its expiry.
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

-- Tasks are visible until hidden_at. Their rows stay for some minutes longer, so that repeated settles are recognised.
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
  publication_id INTEGER,
  subscriber     TEXT,
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

-- Unsuccessful deliveries. A give-back has number 0: it is no attempt, but a repeated give-back is recognised by its row.
CREATE TABLE ${prefix}attempt (
  id          INTEGER PRIMARY KEY,
  task_id     INTEGER NOT NULL,
  number      INTEGER NOT NULL,
  -- When the delivery was due. The task has only its last two due times.
  due         INTEGER,
  started     INTEGER NOT NULL,
  ended       INTEGER NOT NULL,
  outcome     TEXT    NOT NULL,
  message     TEXT    NOT NULL,
  -- The class of the exception that ended the attempt, and at most 4,096 bytes of its stack trace; NULL without an exception.
  exception   TEXT,
  stack_trace TEXT,
  session_id  TEXT,
  next_due    INTEGER,
  nonce       INTEGER NOT NULL,
  settled_by  INTEGER NOT NULL
);

CREATE INDEX ${prefix}attempt_task ON ${prefix}attempt (task_id, id);

CREATE INDEX ${prefix}attempt_given_back ON ${prefix}attempt (ended) WHERE number = 0;

-- The task that runs for a key. The primary key is the mutual exclusion: only the task with the row can run.
CREATE TABLE ${prefix}key_lease (
  queue_id INTEGER NOT NULL,
  task_key TEXT    NOT NULL,
  task_id  INTEGER NOT NULL,
  PRIMARY KEY (queue_id, task_key)
) WITHOUT ROWID;

-- waiting is a JSON object from the name of a queue to the number of takes that wait for it.
CREATE TABLE ${prefix}session (
  id           TEXT    PRIMARY KEY,
  dead_after   INTEGER NOT NULL,
  grace        INTEGER NOT NULL,
  heard        INTEGER NOT NULL,
  disconnected INTEGER,
  waiting      TEXT
) WITHOUT ROWID;

-- open_name is the name until the group ends, and then NULL, so that a new group can have the name.
CREATE TABLE ${prefix}task_group (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT    NOT NULL,
  -- The group that contains this one, until this one ends.
  outer_id     INTEGER,
  open_name    TEXT    UNIQUE,
  state        TEXT    NOT NULL,
  -- 1 while a start or a cancel still has tasks to move. It moves them in blocks, one transaction each.
  moving       INTEGER NOT NULL DEFAULT 0,
  -- Why the group was canceled.
  reason       TEXT,
  on_failure   TEXT    NOT NULL,
  ends_as      TEXT    NOT NULL,
  end_task     BLOB,
  abort_task   BLOB,
  closing_task INTEGER,
  ended_at     INTEGER
);

CREATE INDEX ${prefix}group_state ON ${prefix}task_group (state);

CREATE INDEX ${prefix}group_ended ON ${prefix}task_group (ended_at) WHERE ended_at IS NOT NULL;

CREATE INDEX ${prefix}group_outer ON ${prefix}task_group (outer_id) WHERE outer_id IS NOT NULL;

-- Numbers of tasks that were put into a group and that left it. Settles append rows and never write the group, which would make
-- them wait for each other. Leat adds the rows up.
CREATE TABLE ${prefix}group_count (
  id       INTEGER PRIMARY KEY,
  group_id INTEGER NOT NULL,
  -- Tasks put into the group, without those of plain inserts.
  put      INTEGER NOT NULL DEFAULT 0,
  done     INTEGER NOT NULL,
  failed   INTEGER NOT NULL,
  canceled INTEGER NOT NULL
);

CREATE INDEX ${prefix}group_count_group ON ${prefix}group_count (group_id);

-- task_id waits for after_id, a task of the same group. until_done is 1 if after_id has to be DONE, 0 if any end will do.
-- met becomes 1 when the dependency is fulfilled.
CREATE TABLE ${prefix}dependency (
  group_id   INTEGER NOT NULL,
  task_id    INTEGER NOT NULL,
  after_id   INTEGER NOT NULL,
  until_done INTEGER NOT NULL,
  met        INTEGER NOT NULL,
  PRIMARY KEY (task_id, after_id)
) WITHOUT ROWID;

-- Lets the end of a task see fast that no task waits for it, as in most groups.
CREATE INDEX ${prefix}dependency_group ON ${prefix}dependency (group_id, met, after_id);

-- Idempotency keys, and the tasks that were put with them.
CREATE TABLE ${prefix}idempotency (
  queue_id    INTEGER NOT NULL,
  idempotency TEXT    NOT NULL,
  task_id     INTEGER NOT NULL,
  -- A hash of what was put. The same key with another fingerprint is refused.
  fingerprint TEXT,
  known_until INTEGER NOT NULL,
  PRIMARY KEY (queue_id, idempotency)
) WITHOUT ROWID;

CREATE INDEX ${prefix}idempotency_until ON ${prefix}idempotency (known_until);

-- Each publication of the topic makes one copy for each active subscription.
-- A plain insert subscribes: INSERT INTO ${prefix}subscription (id, topic) VALUES (\'billing\', \'orders\').
CREATE TABLE ${prefix}subscription (
  id             TEXT    PRIMARY KEY,
  topic          TEXT    NOT NULL,
  -- The queue of the copies; NULL stands for the queue of the topic.
  queue          TEXT,
  tenant         TEXT,
  business_group TEXT,
  -- The webhook to which 'leat webhooks' sends the copies.
  url            TEXT,
  http_method    TEXT,
  -- A JSON object: {"name": "value"}.
  headers        TEXT,
  -- Separated by spaces.
  secrets        TEXT,
  timeout        INTEGER,
  active         INTEGER NOT NULL DEFAULT 1,
  reason         TEXT,
  created        INTEGER NOT NULL DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000)
);

CREATE INDEX ${prefix}subscription_topic ON ${prefix}subscription (topic);

-- Schedules put a task again and again.
CREATE TABLE ${prefix}schedule (
  name         TEXT    PRIMARY KEY,
  -- Of the task that the schedule puts.
  queue        TEXT    NOT NULL,
  tenant       TEXT,
  -- Either a cron expression and its time zone, or the time between two runs and the time of the first run.
  cron         TEXT,
  zone         TEXT,
  rate         INTEGER,
  rate_start   INTEGER,
  -- What happens to missed runs: SKIP (limit: the longest delay), RUN_ONCE, CATCH_UP (limit: the number of runs).
  missed       TEXT    NOT NULL,
  missed_limit INTEGER,
  overlap      TEXT    NOT NULL,
  task         BLOB    NOT NULL,
  set_by       TEXT    NOT NULL,
  paused       INTEGER NOT NULL,
  created      INTEGER NOT NULL,
  -- NULL while the schedule is paused. The transaction that moves next_run puts the task of the run.
  next_run     INTEGER,
  last_run     INTEGER,
  last_task    INTEGER,
  last_skip    INTEGER,
  skip_reason  TEXT
) WITHOUT ROWID;

CREATE INDEX ${prefix}schedule_next ON ${prefix}schedule (next_run, name) WHERE next_run IS NOT NULL;

CREATE INDEX ${prefix}schedule_tenant ON ${prefix}schedule (tenant, name) WHERE tenant IS NOT NULL;

-- The leased locks of dev.leat.storage.Lock.
CREATE TABLE ${prefix}lock (
  name       TEXT    PRIMARY KEY,
  holder     INTEGER NOT NULL,
  held_until INTEGER NOT NULL
) WITHOUT ROWID;

-- What a put reads from the options of its queue. Durations in the options have the form PT26H3M4.5S: the text after the H
-- begins with the minutes, the text after the M with the seconds.
CREATE VIEW ${prefix}put_default AS
SELECT id, name, priority, ttr_default, capacity, place_by, type_filter, takes_random,
  replace(replace(substr(spread, 1, instr(spread || ' ', ' ') - 1), '%20', ' '), '%25', '%') AS spread_tag,
  (iif(instr(ttl, 'H'), CAST(ttl AS INTEGER), 0) * 3600 + iif(instr(ttl_m, 'M'), CAST(ttl_m AS INTEGER), 0) * 60) * 1000000
    + CAST(round(CAST(substr(ttl_m, instr(ttl_m, 'M') + 1) AS REAL) * 1000000) AS INTEGER) AS ttl,
  (iif(instr(ttr, 'H'), CAST(ttr AS INTEGER), 0) * 3600 + iif(instr(ttr_m, 'M'), CAST(ttr_m AS INTEGER), 0) * 60) * 1000000
    + CAST(round(CAST(substr(ttr_m, instr(ttr_m, 'M') + 1) AS REAL) * 1000000) AS INTEGER) AS ttr
FROM (
  SELECT *, substr(ttl, instr(ttl, 'H') + 1) AS ttl_m, substr(ttr, instr(ttr, 'H') + 1) AS ttr_m,
    iif(instr(orders, ':'), substr(orders, instr(orders, ':') + 1), NULL) AS spread,
    instr(' ' || coalesce(orders, '') || ' ', ' RANDOM ') AS takes_random
  FROM (
    SELECT id, name,
      CAST(coalesce(json_extract(options, '$.priority'), 0) AS INTEGER) AS priority,
      substr(json_extract(options, '$.ttl'), 3) AS ttl,
      substr(json_extract(options, '$.ttr'), 3) AS ttr,
      json_extract(options, '$.ttrDefault') AS ttr_default,
      CAST(coalesce(json_extract(options, '$.capacity'), 0) AS INTEGER) AS capacity,
      json_extract(options, '$.placeBy') AS place_by,
      json_extract(options, '$.typeFilter') AS type_filter,
      json_extract(options, '$.takeOrders') AS orders
    FROM ${prefix}queue WHERE live = 1));

-- Plain inserts: INSERT INTO ${prefix}task (queue, text) VALUES ('emails', 'hello') is a put. Two triggers turn such a row into
-- the row that a put writes. Inserts of Leat name queue_id instead of queue.
-- The inserting program can have an older SQLite than Leat, so the triggers use nothing newer than SQLite 3.38: there, RAISE takes
-- no expressions. Without SHA-256, payload_hash stays NULL.
--
-- This first trigger is small. SQLite allocates the registers of a trigger before it checks the WHEN condition, so with the
-- large one here, puts by 1,000 took 50 % longer.
CREATE TRIGGER ${prefix}plain_insert AFTER INSERT ON ${prefix}task WHEN NEW.queue IS NOT NULL OR NEW.queue_id = 0
BEGIN
  UPDATE ${prefix}task SET queue = NEW.queue WHERE id = NEW.id;
END;

CREATE TRIGGER ${prefix}plain_insert_complete AFTER UPDATE OF queue ON ${prefix}task
WHEN NEW.queue IS NOT NULL OR NEW.queue_id = 0
BEGIN
  -- Refuses columns that only Leat sets, and values that Leat could not read: one such row would make takes fail.
  SELECT CASE
    WHEN NEW.queue IS NULL THEN RAISE(ABORT, 'Leat refuses the task: it needs the name of its queue, in column queue')
    WHEN typeof(NEW.queue) <> 'text' OR length(NEW.queue) NOT BETWEEN 1 AND 128 OR NEW.queue GLOB '*[^A-Za-z0-9_.:-]*'
      THEN RAISE(ABORT, 'Leat refuses the task: the name of a queue is 1 to 128 of letters, digits and _ - . :')
    WHEN NEW.id <= (SELECT max(seq) FROM sqlite_sequence WHERE name = '${prefix}task')
      THEN RAISE(ABORT, 'Leat refuses the task: column id is Leat''s own, leave it out')
    WHEN NEW.queue_id <> 0 THEN RAISE(ABORT, 'Leat refuses the task: column queue_id is Leat''s own, leave it out')
    WHEN NEW.state <> ${READY} THEN RAISE(ABORT, 'Leat refuses the task: column state is Leat''s own, leave it out')
    WHEN NEW.place <> 0 THEN RAISE(ABORT, 'Leat refuses the task: column place is Leat''s own, leave it out')
    WHEN NEW.random IS NOT NULL THEN RAISE(ABORT, 'Leat refuses the task: column random is Leat''s own, leave it out')
    WHEN NEW.take_type IS NOT NULL THEN RAISE(ABORT, 'Leat refuses the task: column take_type is Leat''s own, leave it out')
    WHEN NEW.spread IS NOT NULL THEN RAISE(ABORT, 'Leat refuses the task: column spread is Leat''s own, leave it out')
    WHEN NEW.previous_due IS NOT NULL THEN RAISE(ABORT, 'Leat refuses the task: column previous_due is Leat''s own, leave it out')
    WHEN NEW.own_ttr IS NOT NULL THEN RAISE(ABORT, 'Leat refuses the task: column own_ttr is Leat''s own, leave it out')
    WHEN NEW.attempts <> 0 THEN RAISE(ABORT, 'Leat refuses the task: column attempts is Leat''s own, leave it out')
    WHEN NEW.failures <> 0 THEN RAISE(ABORT, 'Leat refuses the task: column failures is Leat''s own, leave it out')
    WHEN NEW.losses <> 0 THEN RAISE(ABORT, 'Leat refuses the task: column losses is Leat''s own, leave it out')
    WHEN NEW.releases <> 0 THEN RAISE(ABORT, 'Leat refuses the task: column releases is Leat''s own, leave it out')
    WHEN NEW.nonce IS NOT NULL THEN RAISE(ABORT, 'Leat refuses the task: column nonce is Leat''s own, leave it out')
    WHEN NEW.session_id IS NOT NULL THEN RAISE(ABORT, 'Leat refuses the task: column session_id is Leat''s own, leave it out')
    WHEN NEW.taken_at IS NOT NULL THEN RAISE(ABORT, 'Leat refuses the task: column taken_at is Leat''s own, leave it out')
    WHEN NEW.lease_until IS NOT NULL THEN RAISE(ABORT, 'Leat refuses the task: column lease_until is Leat''s own, leave it out')
    WHEN NEW.revoke_at IS NOT NULL THEN RAISE(ABORT, 'Leat refuses the task: column revoke_at is Leat''s own, leave it out')
    WHEN NEW.settled_nonce IS NOT NULL THEN RAISE(ABORT, 'Leat refuses the task: column settled_nonce is Leat''s own, leave it out')
    WHEN NEW.settled_by <> 0 THEN RAISE(ABORT, 'Leat refuses the task: column settled_by is Leat''s own, leave it out')
    WHEN NEW.payload_hash IS NOT NULL THEN RAISE(ABORT, 'Leat refuses the task: column payload_hash is Leat''s own, leave it out')
    WHEN NEW.dead_of IS NOT NULL THEN RAISE(ABORT, 'Leat refuses the task: column dead_of is Leat''s own, leave it out')
    WHEN NEW.message IS NOT NULL THEN RAISE(ABORT, 'Leat refuses the task: column message is Leat''s own, leave it out')
    WHEN NEW.error_code <> 0 THEN RAISE(ABORT, 'Leat refuses the task: column error_code is Leat''s own, leave it out')
    WHEN NEW.text IS NOT NULL AND NEW.payload IS NOT NULL
      THEN RAISE(ABORT, 'Leat refuses the task: it has both text and payload')
    WHEN length(CAST(coalesce(NEW.text, NEW.payload) AS BLOB)) > 16777216
      THEN RAISE(ABORT, 'Leat refuses the task: its payload is over the limit of 16777216 bytes')
    WHEN typeof(NEW.priority) <> 'integer' OR NEW.priority NOT BETWEEN -2147483648 AND 2147483648
      THEN RAISE(ABORT, 'Leat refuses the task: column priority must be a number of 32 bits')
    WHEN typeof(NEW.due) <> 'integer' OR NEW.due NOT BETWEEN 1000000000000000 AND 221845392000000000
      THEN RAISE(ABORT, 'Leat refuses the task: column due must be in microseconds since the epoch')
    WHEN typeof(NEW.expires) NOT IN ('integer', 'null') OR NEW.expires <= max(NEW.due, NEW.created)
      THEN RAISE(ABORT, 'Leat refuses the task: column expires must be in microseconds since the epoch, and later than due')
    WHEN typeof(NEW.ttr) NOT IN ('integer', 'null') OR NEW.ttr NOT BETWEEN 1 AND 3155760000000000
      THEN RAISE(ABORT, 'Leat refuses the task: column ttr must be in microseconds, and at most 36525 days')
    WHEN EXISTS (
      SELECT 1 FROM (
        SELECT NEW.task_key AS value UNION ALL SELECT NEW.address UNION ALL SELECT NEW.type UNION ALL SELECT NEW.tenant
        UNION ALL SELECT NEW.business_group UNION ALL SELECT NEW.origin UNION ALL SELECT NEW.destination
        UNION ALL SELECT NEW.external_key UNION ALL SELECT NEW.content_type) word
      WHERE typeof(word.value) NOT IN ('text', 'null') OR trim(word.value, char(9, 10, 11, 12, 13, 32)) = '' OR length(CAST(word.value AS BLOB)) > 512 OR instr(word.value, char(0)))
      THEN RAISE(ABORT, 'Leat refuses the task: task_key, address, type, tenant, business_group, origin, destination, external_key and content_type must have 1 to 512 bytes, and not be blank')
    WHEN NEW.tags IS NOT NULL AND (NOT json_valid(NEW.tags) OR json_type(NEW.tags) <> 'object'
      OR (SELECT count(*) FROM json_each(NEW.tags)) > 64 OR EXISTS (
        SELECT 1 FROM json_each(NEW.tags) tag WHERE tag.type <> 'integer' OR abs(tag.value) > 999999999999999999 OR trim(tag.key, char(9, 10, 11, 12, 13, 32)) = '' OR length(CAST(tag.key AS BLOB)) > 512 OR instr(tag.key, char(0))))
      THEN RAISE(ABORT, 'Leat refuses the task: column tags must be a JSON object without nesting: at most 64 names of at most 512 bytes, with whole numbers')
    WHEN NEW.trace IS NOT NULL AND (NOT json_valid(NEW.trace) OR json_type(NEW.trace) <> 'object'
      OR (SELECT count(*) FROM json_each(NEW.trace)) > 64 OR EXISTS (
        SELECT 1 FROM json_each(NEW.trace) entry WHERE entry.type <> 'text' OR trim(entry.key, char(9, 10, 11, 12, 13, 32)) = '' OR length(CAST(entry.key AS BLOB)) > 512 OR instr(entry.key, char(0))))
      THEN RAISE(ABORT, 'Leat refuses the task: column trace must be a JSON object without nesting: at most 64 names of at most 512 bytes, with texts')
    WHEN NEW.group_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${prefix}task_group WHERE id = NEW.group_id)
      THEN RAISE(ABORT, 'Leat refuses the task: its group does not exist')
    WHEN NEW.group_id IS NOT NULL
      AND (SELECT state FROM ${prefix}task_group WHERE id = NEW.group_id) NOT IN ('OPEN', 'STARTED')
      THEN RAISE(ABORT, 'Leat refuses the task: its group takes no more tasks')
  END;
  -- Creates a missing queue, as a put does.
  INSERT INTO ${prefix}queue (name)
  SELECT NEW.queue WHERE NOT EXISTS (SELECT 1 FROM ${prefix}queue WHERE name = NEW.queue AND live = 1);
  -- Counts by state, because no index has all states. The new row has no queue_id yet and does not count.
  SELECT RAISE(ABORT, 'Leat refuses the task: its queue is full')
  FROM ${prefix}put_default q WHERE q.name = NEW.queue AND q.capacity > 0 AND q.capacity <= (
    SELECT count(*) FROM (
      SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${WAITING_GROUP}
      UNION ALL SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${SCHEDULED}
      UNION ALL SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${WAITING_KEY}
      UNION ALL SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${READY}
      UNION ALL SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${TAKEN}
      UNION ALL SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${BURIED}));
  -- The same values as in a put. The state comes from the gates: first the group, then the due time. Takes check the key.
  UPDATE ${prefix}task SET
    queue = NULL,
    text = NULL,
    queue_id = put.id,
    state = CASE
      WHEN (SELECT g.state FROM ${prefix}task_group g WHERE g.id = NEW.group_id) = 'OPEN' THEN ${WAITING_GROUP}
      WHEN put.due > put.now THEN ${SCHEDULED}
      ELSE ${READY} END,
    priority = iif(NEW.priority = 2147483648, put.priority, NEW.priority),
    place = iif(put.place_by = 'DUE_TIME', put.due, 0),
    random = iif(put.takes_random, (random() & 9223372036854775806) + 1, NULL),
    take_type = iif(put.type_filter = 'ON', NEW.type, NULL),
    spread = iif(put.spread_tag IS NULL, NULL, coalesce(
      (SELECT CAST(tag.value AS TEXT) FROM json_each(NEW.tags) tag WHERE tag.key = put.spread_tag), '')),
    created = put.now,
    due = put.due,
    expires = coalesce(NEW.expires, put.due + put.ttl),
    own_ttr = NEW.ttr,
    ttr = coalesce(NEW.ttr, put.ttr, iif(put.ttr_default = 'TTL', coalesce(NEW.expires - put.due, put.ttl), NULL)),
    payload = CAST(coalesce(NEW.payload, NEW.text, '') AS BLOB)
  FROM (
    SELECT q.*, moment.now, max(NEW.due, moment.now) AS due FROM ${prefix}put_default q
    CROSS JOIN (SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000 AS now) moment
    WHERE q.name = NEW.queue) put
  WHERE ${prefix}task.id = NEW.id;
  -- INSERT OR IGNORE skips the update of a row whose address is taken. Such a row must not stay.
  DELETE FROM ${prefix}task WHERE id = NEW.id AND queue_id = 0;
END;

-- The views are for people and BI tools; docs/sql.md describes their columns. Leat does not read them.
-- They use the clock of the database even where a test has replaced the clock of Leat.

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
  strftime('%Y-%m-%dT%H:%M:%fZ', t.created / 1e6, 'unixepoch') AS put_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.due / 1e6, 'unixepoch') AS due_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.previous_due / 1e6, 'unixepoch') AS previous_due_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.expires / 1e6, 'unixepoch') AS expires_at,
  t.ttr / 1e6 AS ttr_seconds,
  t.attempts,
  t.failures,
  t.losses,
  t.releases,
  t.session_id AS session,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.taken_at / 1e6, 'unixepoch') AS taken_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.lease_until / 1e6, 'unixepoch') AS lease_until,
  t.revoke_at IS NOT NULL AS cancel_requested,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.finished_at / 1e6, 'unixepoch') AS finished_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.hidden_at / 1e6, 'unixepoch') AS kept_until,
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
  CASE WHEN t.content_type LIKE 'text/%' OR t.content_type LIKE '%/json%' OR t.content_type LIKE '%+json%'
      OR t.content_type LIKE '%/xml%' OR t.content_type LIKE '%+xml%'
    THEN CAST(t.payload AS TEXT) END AS payload_text,
  t.result_type,
  t.result,
  CASE WHEN t.result_type LIKE 'text/%' OR t.result_type LIKE '%/json%' OR t.result_type LIKE '%+json%'
      OR t.result_type LIKE '%/xml%' OR t.result_type LIKE '%+xml%'
    THEN CAST(t.result AS TEXT) END AS result_text,
  coalesce(t.publication_id = 0, FALSE) AS publication,
  nullif(t.publication_id, 0) AS publication_id,
  t.subscriber
FROM (
  SELECT
    id, queue_id, state, priority, created, due, previous_due, expires, ttr, attempts, failures, losses, releases,
    session_id, taken_at, lease_until, revoke_at, NULL AS finished_at, NULL AS hidden_at,
    task_key, address, group_id, type, tenant, business_group, origin, destination, external_key, payload_hash, tags,
    trace, dead_of, message, error_code, coalesce(content_type, '${text_type}') AS content_type, payload,
    NULL AS result_type, NULL AS result, publication_id, subscriber
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

-- One row per attempt: first the unsuccessful attempts in ${prefix}attempt, then the attempt that is next, runs or was the last.
-- The second part has no row if the last attempt of the task is in ${prefix}attempt and no other attempt follows.
CREATE VIEW ${prefix}attempts AS
SELECT
  t.id AS task_id,
  a.number AS attempt,
  t.queue,
  a.outcome AS status,
  t.put_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', a.due / 1e6, 'unixepoch') AS due_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', a.started / 1e6, 'unixepoch') AS started_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', a.ended / 1e6, 'unixepoch') AS ended_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', a.next_due / 1e6, 'unixepoch') AS next_due_at,
  a.message,
  a.session_id AS session,
  a.next_due IS NOT NULL AS requeued,
  a.next_due IS NULL AND a.outcome IN ('FAILED', 'LOST') AS exhausted,
  p.outcome AS previous_status,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.due / 1e6, 'unixepoch') AS previous_due_at,
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
LEFT JOIN ${prefix}attempt p ON p.task_id = a.task_id AND p.number = a.number - 1 AND p.number > 0
WHERE a.number > 0
UNION ALL
SELECT
  t.id,
  CASE WHEN l.id IS NULL AND t.attempts > 0 THEN t.attempts ELSE t.attempts + 1 END,
  t.queue,
  t.state,
  t.put_at,
  coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', l.next_due / 1e6, 'unixepoch'), t.due_at),
  t.taken_at,
  t.finished_at,
  NULL,
  CASE WHEN t.state NOT IN ('WAITING', 'SCHEDULED', 'READY', 'TAKEN') THEN t.message END,
  t.session,
  FALSE,
  FALSE,
  p.outcome,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.due / 1e6, 'unixepoch'),
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
LEFT JOIN ${prefix}attempt l ON l.task_id = t.id AND l.number = t.attempts AND l.number > 0
LEFT JOIN ${prefix}attempt p
  ON p.task_id = t.id AND p.number = CASE WHEN l.id IS NULL THEN t.attempts - 1 ELSE t.attempts END AND p.number > 0
WHERE t.state IN ('WAITING', 'SCHEDULED', 'READY', 'TAKEN') OR l.id IS NULL OR l.next_due IS NOT NULL;

-- The attempts with the columns of nsj-queue-lib, for queries that were written for its table. Its ids identify attempts: here
-- they are the id of the task followed by six digits for the number of the attempt.
CREATE VIEW ${prefix}tarefas AS
SELECT
  a.task_id * 1000000 + a.attempt AS id,
  a.task_id * 1000000 + 1 AS id_inicial,
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
  CASE WHEN a.previous_status IS NOT NULL THEN a.task_id * 1000000 + a.attempt - 1 END AS id_anterior,
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
  a.publication_id * 1000000 + 1 AS publication_id,
  a.subscriber AS subscriber_id,
  a.dead_of IS NOT NULL AS dead,
  a.dead_of * 1000000 + 1 AS live_id,
  -a.priority AS prioridade,
  a.queue AS fila,
  a.task_id AS id_leat
FROM ${prefix}attempts a;

-- The ready task of each queue that was due first.
CREATE VIEW ${prefix}oldest_waiting AS
SELECT
  q.name AS queue,
  t.id AS task_id,
  t.priority,
  t.type,
  t.task_key,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.created / 1e6, 'unixepoch') AS put_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.due / 1e6, 'unixepoch') AS due_at,
  (${server_now} - t.due) / 1e6 AS age_seconds
FROM ${prefix}queue q
JOIN ${prefix}task t ON t.id = (
  SELECT o.id FROM ${prefix}task o WHERE o.queue_id = q.id AND o.state = ${READY} ORDER BY o.due, o.id LIMIT 1)
WHERE q.live = 1;

-- One row per queue. Each count is an index scan that runs only if the query selects the column.
CREATE VIEW ${prefix}queues AS
SELECT
  q.name AS queue,
  q.paused = 1 AS paused,
  coalesce((SELECT sum(json_extract(s.waiting, '$."' || q.name || '"')) FROM ${prefix}session s), 0) AS consumers,
  (SELECT count(*) FROM ${prefix}task t WHERE t.queue_id = q.id AND t.state = ${WAITING_GROUP})
    + (SELECT count(*) FROM ${prefix}task t WHERE t.queue_id = q.id AND t.state = ${WAITING_KEY}) AS waiting,
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

-- Unsuccessful attempts, counted by queue, outcome and message.
CREATE VIEW ${prefix}failures AS
SELECT
  t.queue,
  a.outcome,
  a.message,
  count(*) AS attempts,
  count(DISTINCT a.task_id) AS tasks,
  strftime('%Y-%m-%dT%H:%M:%fZ', min(a.ended) / 1e6, 'unixepoch') AS first_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', max(a.ended) / 1e6, 'unixepoch') AS last_at,
  max(a.task_id) AS example_task_id
FROM ${prefix}attempt a
JOIN ${prefix}tasks t ON t.id = a.task_id
WHERE a.number > 0 AND a.outcome IN ('FAILED', 'LOST', 'BURIED')
GROUP BY t.queue, a.outcome, a.message;

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
