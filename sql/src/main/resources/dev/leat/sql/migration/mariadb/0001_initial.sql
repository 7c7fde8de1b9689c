-- The tables, triggers and views of Leat. Live tasks are in ${prefix}task, finished tasks in ${prefix}finished.
-- Times are microseconds since the epoch, durations are microseconds.
-- States are the codes of dev.leat.sql.internal.row.RowState: 1 waits for its group, 2 scheduled, 3 waits for its key,
-- 4 ready, 5 taken, 6 buried, 11 done, 12 failed, 13 expired, 14 canceled.
--
-- DDL commits by itself here, so every statement can be repeated after a crash half-way.
-- Names compare byte by byte, with trailing spaces. MariaDB and MySQL have different names for this collation, and each of them
-- skips the comment of the other.
-- Portable mode locks a row by incrementing its column claims.

-- A dropped queue keeps its row with live = NULL while finished tasks refer to it.
CREATE TABLE IF NOT EXISTS ${prefix}queue (
  id       BIGINT       NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name     VARCHAR(128) NOT NULL,
  live     SMALLINT     DEFAULT 1,
  options  MEDIUMTEXT   NOT NULL DEFAULT ('{}'),
  -- The retention of DONE tasks and whether they keep their payload. Copied from the options, for statements that read no JSON.
  keep_done    BIGINT   NOT NULL DEFAULT 86400000000,
  keep_payload SMALLINT NOT NULL DEFAULT 0,
  paused   SMALLINT     NOT NULL DEFAULT 0,
  set_by   VARCHAR(20)  NOT NULL DEFAULT 'CODE',
  revision INTEGER      NOT NULL DEFAULT 0,
  claims   BIGINT       NOT NULL DEFAULT 0,
  UNIQUE INDEX queue_name (name, live)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- Generates the ids of tasks. Leat inserts rows for their numbers and rolls them back at once, so no transaction sees or waits
-- for the rows of another one. Ids ascend on MariaDB, MySQL and Galera alike.
CREATE TABLE IF NOT EXISTS ${prefix}task_id (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY
) ENGINE = InnoDB;

-- Takes order and filter by place, random, take_type and spread. Leat fills them only where the options of the queue ask for it.
-- InnoDB has no partial indexes. An index that only some tasks need is on a generated column that is NULL for all other tasks,
-- so that a change of their state does not write its entries.
CREATE TABLE IF NOT EXISTS ${prefix}task (
  id             BIGINT       NOT NULL AUTO_INCREMENT PRIMARY KEY,
  queue_id       BIGINT       NOT NULL DEFAULT 0,
  state          SMALLINT     NOT NULL DEFAULT 4,
  -- May be NULL until the trigger has run, so that the trigger can tell a 0 from a missing priority. MariaDB does not tell
  -- them apart reliably in a NOT NULL column without a default.
  priority       INTEGER,
  -- 0 while buried, because lists of buried tasks are ordered by priority and id.
  place          BIGINT       NOT NULL DEFAULT 0,
  random         BIGINT,
  take_type      VARCHAR(512),
  spread         VARCHAR(20),
  created        BIGINT       NOT NULL DEFAULT (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))),
  due            BIGINT       NOT NULL DEFAULT (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))),
  previous_due   BIGINT,
  expires        BIGINT,
  ttr            BIGINT,
  own_ttr        BIGINT,
  attempts       INTEGER      NOT NULL DEFAULT 0,
  failures       INTEGER      NOT NULL DEFAULT 0,
  losses         INTEGER      NOT NULL DEFAULT 0,
  releases       INTEGER      NOT NULL DEFAULT 0,
  nonce          BIGINT,
  session_id     VARCHAR(640),
  taken_at       BIGINT,
  lease_until    BIGINT,
  revoke_at      BIGINT,
  settled_nonce  BIGINT,
  settled_by     SMALLINT     NOT NULL DEFAULT 0,
  task_key       VARCHAR(512),
  address        VARCHAR(512),
  group_id       BIGINT,
  type           VARCHAR(512),
  tenant         VARCHAR(512),
  business_group VARCHAR(512),
  origin         VARCHAR(512),
  destination    VARCHAR(512),
  external_key   VARCHAR(512),
  payload_hash   VARCHAR(64),
  tags           MEDIUMTEXT,
  trace          MEDIUMTEXT,
  dead_of        BIGINT,
  -- 0 for a publication; the id of the publication for a copy.
  publication_id BIGINT,
  subscriber     VARCHAR(512),
  message        LONGTEXT,
  error_code     INTEGER      NOT NULL DEFAULT 0,
  -- The last chunk that the running task has reported. It counts while chunk_nonce equals nonce, so it ends with the lease
  -- and no take, settle or loss has to reset it.
  chunk          INTEGER,
  chunk_nonce    BIGINT,
  -- Only plain inserts name these two. The trigger reads them and sets them to NULL.
  queue          VARCHAR(128),
  text           LONGTEXT,
  -- NULL stands for text/plain; charset=utf-8, the type of most tasks.
  content_type   TEXT,
  payload        LONGBLOB,
  claims         BIGINT       NOT NULL DEFAULT 0,
  -- The next timer of the task: its due time while scheduled, the end of its lease while taken, else its expiry.
  timer_at       BIGINT       GENERATED ALWAYS AS (
    CASE state
      WHEN 2 THEN due
      WHEN 5 THEN least(coalesce(lease_until, revoke_at), coalesce(revoke_at, lease_until))
      ELSE expires
    END) STORED,
  ready_type     VARCHAR(512) GENERATED ALWAYS AS (CASE WHEN state = 4 THEN take_type END) STORED,
  ready_random   BIGINT       GENERATED ALWAYS AS (CASE WHEN state = 4 THEN random END) STORED,
  ready_spread   VARCHAR(20)  GENERATED ALWAYS AS (CASE WHEN state = 4 THEN spread END) STORED,
  -- The key and the state of the tasks that wait for a key or are ready with one.
  line_key       VARCHAR(512) GENERATED ALWAYS AS (CASE WHEN state IN (3, 4) THEN task_key END) STORED,
  line_state     SMALLINT     GENERATED ALWAYS AS (
    CASE WHEN state IN (3, 4) AND task_key IS NOT NULL THEN state END) STORED,
  group_state    SMALLINT     GENERATED ALWAYS AS (CASE WHEN group_id IS NOT NULL THEN state END) STORED,
  stop_session   VARCHAR(640) GENERATED ALWAYS AS (CASE WHEN revoke_at IS NOT NULL THEN session_id END) STORED,
  live_address   VARCHAR(512) GENERATED ALWAYS AS (CASE WHEN state <> 6 THEN address END) STORED,
  INDEX task_state (queue_id, state, priority, place, id),
  INDEX task_ready_type (queue_id, ready_type, priority, place, id),
  INDEX task_ready_random (queue_id, priority, ready_random),
  INDEX task_ready_type_random (queue_id, ready_type, priority, ready_random),
  INDEX task_ready_spread (queue_id, priority, ready_spread, place, id),
  INDEX task_ready_type_spread (queue_id, ready_type, priority, ready_spread, place, id),
  INDEX task_line (queue_id, line_key, line_state, priority, id),
  INDEX task_timer (timer_at),
  INDEX task_of_group (group_id, group_state, id),
  INDEX task_to_stop (stop_session),
  INDEX task_equivalent (queue_id, payload_hash),
  UNIQUE INDEX task_address (queue_id, live_address),
  -- Where the trigger cannot be made, this refuses plain inserts. They would be stored and never taken.
  CONSTRAINT ${name}plain_insert_needs_its_trigger CHECK (queue IS NULL AND queue_id <> 0)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- Tasks are visible until hidden_at. Their rows stay for some minutes longer, so that repeated settles are recognised.
CREATE TABLE IF NOT EXISTS ${prefix}finished (
  id             BIGINT       NOT NULL PRIMARY KEY,
  queue_id       BIGINT       NOT NULL,
  state          SMALLINT     NOT NULL,
  finished_at    BIGINT       NOT NULL,
  hidden_at      BIGINT       NOT NULL,
  priority       INTEGER      NOT NULL,
  created        BIGINT       NOT NULL,
  due            BIGINT       NOT NULL,
  previous_due   BIGINT,
  expires        BIGINT,
  ttr            BIGINT,
  attempts       INTEGER      NOT NULL,
  failures       INTEGER      NOT NULL,
  losses         INTEGER      NOT NULL,
  releases       INTEGER      NOT NULL,
  settled_nonce  BIGINT,
  settled_by     SMALLINT     NOT NULL,
  task_key       VARCHAR(512),
  address        VARCHAR(512),
  group_id       BIGINT,
  type           VARCHAR(512),
  tenant         VARCHAR(512),
  business_group VARCHAR(512),
  origin         VARCHAR(512),
  destination    VARCHAR(512),
  external_key   VARCHAR(512),
  payload_hash   VARCHAR(64),
  tags           MEDIUMTEXT,
  trace          MEDIUMTEXT,
  dead_of        BIGINT,
  publication_id BIGINT,
  subscriber     VARCHAR(512),
  message        LONGTEXT,
  error_code     INTEGER      NOT NULL,
  result_type    TEXT,
  result         LONGBLOB,
  content_type   TEXT,
  payload        LONGBLOB,
  INDEX finished_hidden (queue_id, state, hidden_at),
  INDEX finished_equivalent (queue_id, payload_hash)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- Unsuccessful deliveries. A give-back has number 0: it is no attempt, but a repeated give-back is recognised by its row.
CREATE TABLE IF NOT EXISTS ${prefix}attempt (
  id          BIGINT       NOT NULL AUTO_INCREMENT PRIMARY KEY,
  task_id     BIGINT       NOT NULL,
  number      INTEGER      NOT NULL,
  -- When the delivery was due. The task has only its last two due times.
  due         BIGINT,
  started     BIGINT       NOT NULL,
  ended       BIGINT       NOT NULL,
  outcome     VARCHAR(20)  NOT NULL,
  message     LONGTEXT     NOT NULL,
  -- The class of the exception that ended the attempt, and at most 4,096 bytes of its stack trace; NULL without an exception.
  exception   VARCHAR(512),
  stack_trace TEXT,
  session_id  VARCHAR(640),
  next_due    BIGINT,
  nonce       BIGINT       NOT NULL,
  settled_by  SMALLINT     NOT NULL,
  INDEX attempt_task (task_id, id),
  INDEX attempt_given_back (number, ended)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- The task that runs for a key. The primary key is the mutual exclusion: only the task with the row can run.
-- A take that finds the key busy increments asked. The value tells an insert from an update, and the update locks the row.
CREATE TABLE IF NOT EXISTS ${prefix}key_lease (
  queue_id BIGINT       NOT NULL,
  task_key VARCHAR(512) NOT NULL,
  task_id  BIGINT       NOT NULL,
  asked    BIGINT       NOT NULL DEFAULT 0,
  PRIMARY KEY (queue_id, task_key)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- waiting is a JSON object from the name of a queue to the number of takes that wait for it.
CREATE TABLE IF NOT EXISTS ${prefix}session (
  id           VARCHAR(640) NOT NULL PRIMARY KEY,
  dead_after   BIGINT       NOT NULL,
  grace        BIGINT       NOT NULL,
  heard        BIGINT       NOT NULL,
  disconnected BIGINT,
  waiting      MEDIUMTEXT,
  claims       BIGINT       NOT NULL DEFAULT 0
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- open_name is the name until the group ends, and then NULL, so that a new group can have the name.
CREATE TABLE IF NOT EXISTS ${prefix}task_group (
  id           BIGINT       NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name         VARCHAR(512) NOT NULL,
  -- The group that contains this one, until this one ends.
  outer_id     BIGINT,
  open_name    VARCHAR(512),
  state        VARCHAR(20)  NOT NULL,
  -- 1 while a start or a cancel still has tasks to move. It moves them in blocks, one transaction each.
  moving       SMALLINT     NOT NULL DEFAULT 0,
  -- Why the group was canceled.
  reason       LONGTEXT,
  on_failure   VARCHAR(20)  NOT NULL,
  ends_as      VARCHAR(20)  NOT NULL,
  end_task     LONGBLOB,
  abort_task   LONGBLOB,
  closing_task BIGINT,
  ended_at     BIGINT,
  claims       BIGINT       NOT NULL DEFAULT 0,
  UNIQUE INDEX group_open_name (open_name),
  INDEX group_state (state),
  INDEX group_ended (ended_at),
  INDEX group_outer (outer_id)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- Numbers of tasks that were put into a group and that left it. Settles append rows and never write the group, which would make
-- them wait for each other. Leat adds the rows up.
CREATE TABLE IF NOT EXISTS ${prefix}group_count (
  id       BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  group_id BIGINT NOT NULL,
  -- Tasks put into the group, without those of plain inserts.
  put      BIGINT NOT NULL DEFAULT 0,
  done     BIGINT NOT NULL,
  failed   BIGINT NOT NULL,
  canceled BIGINT NOT NULL,
  INDEX group_count_group (group_id)
) ENGINE = InnoDB;

-- task_id waits for after_id, a task of the same group. until_done is 1 if after_id has to be DONE, 0 if any end will do.
-- met becomes 1 when the dependency is fulfilled. The index lets the end of a task see fast that no task waits for it.
CREATE TABLE IF NOT EXISTS ${prefix}dependency (
  group_id   BIGINT   NOT NULL,
  task_id    BIGINT   NOT NULL,
  after_id   BIGINT   NOT NULL,
  until_done SMALLINT NOT NULL,
  met        SMALLINT NOT NULL,
  PRIMARY KEY (task_id, after_id),
  INDEX dependency_group (group_id, met, after_id)
) ENGINE = InnoDB;

-- Idempotency keys, and the tasks that were put with them.
CREATE TABLE IF NOT EXISTS ${prefix}idempotency (
  queue_id    BIGINT       NOT NULL,
  idempotency VARCHAR(512) NOT NULL,
  task_id     BIGINT       NOT NULL,
  -- A hash of what was put. The same key with another fingerprint is refused.
  fingerprint VARCHAR(512),
  known_until BIGINT       NOT NULL,
  PRIMARY KEY (queue_id, idempotency),
  INDEX idempotency_until (known_until)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- Each publication of the topic makes one copy for each active subscription.
-- A plain insert subscribes: INSERT INTO ${prefix}subscription (id, topic) VALUES (\'billing\', \'orders\').
CREATE TABLE IF NOT EXISTS ${prefix}subscription (
  id             VARCHAR(512) NOT NULL PRIMARY KEY,
  topic          VARCHAR(128) NOT NULL,
  -- The queue of the copies; NULL stands for the queue of the topic.
  queue          VARCHAR(128),
  tenant         VARCHAR(512),
  business_group VARCHAR(512),
  -- The webhook to which 'leat webhooks' sends the copies.
  url            VARCHAR(4096),
  http_method    VARCHAR(8),
  -- A JSON object: {"name": "value"}.
  headers        TEXT,
  -- Separated by spaces.
  secrets        TEXT,
  timeout        BIGINT,
  active         INTEGER      NOT NULL DEFAULT 1,
  reason         TEXT,
  created        BIGINT       NOT NULL DEFAULT (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))),
  INDEX subscription_topic (topic)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- Schedules put a task again and again.
CREATE TABLE IF NOT EXISTS ${prefix}schedule (
  name         VARCHAR(256) NOT NULL PRIMARY KEY,
  -- Of the task that the schedule puts.
  queue        VARCHAR(128) NOT NULL,
  tenant       VARCHAR(512),
  -- Either a cron expression and its time zone, or the time between two runs and the time of the first run.
  cron         VARCHAR(512),
  zone         VARCHAR(128),
  rate         BIGINT,
  rate_start   BIGINT,
  -- What happens to missed runs: SKIP (limit: the longest delay), RUN_ONCE, CATCH_UP (limit: the number of runs).
  missed       VARCHAR(16)  NOT NULL,
  missed_limit BIGINT,
  overlap      VARCHAR(16)  NOT NULL,
  task         LONGBLOB     NOT NULL,
  set_by       VARCHAR(16)  NOT NULL,
  paused       INTEGER      NOT NULL,
  created      BIGINT       NOT NULL,
  -- NULL while the schedule is paused. The transaction that moves next_run puts the task of the run.
  next_run     BIGINT,
  last_run     BIGINT,
  last_task    BIGINT,
  last_skip    BIGINT,
  skip_reason  TEXT,
  claims       BIGINT       NOT NULL DEFAULT 0,
  INDEX schedule_next (next_run, name),
  INDEX schedule_tenant (tenant, name)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- The leased locks of dev.leat.storage.Lock.
CREATE TABLE IF NOT EXISTS ${prefix}lock (
  name       VARCHAR(700) NOT NULL PRIMARY KEY,
  holder     BIGINT       NOT NULL,
  held_until BIGINT       NOT NULL
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

DROP TRIGGER IF EXISTS ${prefix}plain_insert;

-- Turns a plain insert, INSERT INTO ${prefix}task (queue, text) VALUES ('emails', 'hello'), into the row that a put writes.
-- Inserts of Leat name queue_id instead of queue.
-- Runs with the rights of its creator, so that a user needs no right but INSERT.
CREATE TRIGGER ${prefix}plain_insert BEFORE INSERT ON ${prefix}task FOR EACH ROW
BEGIN
  IF NEW.queue IS NOT NULL OR NEW.queue_id = 0 THEN
  BEGIN
    DECLARE moment BIGINT DEFAULT TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6));
    DECLARE chosen BIGINT;
    DECLARE capacity, live INTEGER;
    DECLARE settings, orders, spread_tag MEDIUMTEXT CHARACTER SET utf8mb4;
    DECLARE group_is, duration VARCHAR(40) CHARACTER SET utf8mb4;
    DECLARE problem VARCHAR(200) CHARACTER SET utf8mb4;
    -- Refuses columns that only Leat sets, and values that Leat could not read: one such row would make takes fail.
    SET problem = CASE
      WHEN NEW.id <> 0 THEN 'id'
      WHEN NEW.queue_id <> 0 THEN 'queue_id'
      WHEN NOT NEW.state <=> ${READY} THEN 'state'
      WHEN NOT NEW.place <=> 0 THEN 'place'
      WHEN NEW.random IS NOT NULL THEN 'random'
      WHEN NEW.take_type IS NOT NULL THEN 'take_type'
      WHEN NEW.spread IS NOT NULL THEN 'spread'
      WHEN NEW.previous_due IS NOT NULL THEN 'previous_due'
      WHEN NEW.own_ttr IS NOT NULL THEN 'own_ttr'
      WHEN NOT NEW.attempts <=> 0 THEN 'attempts'
      WHEN NOT NEW.failures <=> 0 THEN 'failures'
      WHEN NOT NEW.losses <=> 0 THEN 'losses'
      WHEN NOT NEW.releases <=> 0 THEN 'releases'
      WHEN NEW.nonce IS NOT NULL THEN 'nonce'
      WHEN NEW.session_id IS NOT NULL THEN 'session_id'
      WHEN NEW.taken_at IS NOT NULL THEN 'taken_at'
      WHEN NEW.lease_until IS NOT NULL THEN 'lease_until'
      WHEN NEW.revoke_at IS NOT NULL THEN 'revoke_at'
      WHEN NEW.settled_nonce IS NOT NULL THEN 'settled_nonce'
      WHEN NOT NEW.settled_by <=> 0 THEN 'settled_by'
      WHEN NEW.payload_hash IS NOT NULL THEN 'payload_hash'
      WHEN NEW.dead_of IS NOT NULL THEN 'dead_of'
      WHEN NEW.message IS NOT NULL THEN 'message'
      WHEN NOT NEW.error_code <=> 0 THEN 'error_code'
      WHEN NOT NEW.claims <=> 0 THEN 'claims'
    END;
    SET problem = CONCAT('column ', problem, ' is Leat''s own, leave it out');
    IF problem IS NULL THEN
      SELECT CONCAT('column ', word.name, ' must have 1 to 512 bytes, and not be blank') INTO problem FROM (
        SELECT 'task_key' AS name, NEW.task_key AS value UNION ALL SELECT 'address', NEW.address
        UNION ALL SELECT 'type', NEW.type UNION ALL SELECT 'tenant', NEW.tenant
        UNION ALL SELECT 'business_group', NEW.business_group UNION ALL SELECT 'origin', NEW.origin
        UNION ALL SELECT 'destination', NEW.destination UNION ALL SELECT 'external_key', NEW.external_key
        UNION ALL SELECT 'content_type', NEW.content_type) word
      WHERE word.value NOT REGEXP '[^[:space:]]' OR LENGTH(word.value) > 512 OR LOCATE(CHAR(0 USING utf8mb4), word.value) > 0
      LIMIT 1;
    END IF;
    IF problem IS NULL AND COALESCE(NEW.tags, NEW.trace) IS NOT NULL THEN
      SELECT CONCAT('column ', json.name, ' must be flat JSON: up to 64 names, with ',
        IF(json.name = 'tags', 'whole numbers', 'texts')) INTO problem
      FROM (SELECT 'tags' AS name, NEW.tags AS value, '^-?[0-9]{1,18}$' AS pattern UNION ALL SELECT 'trace', NEW.trace, '') json
      WHERE json.value IS NOT NULL AND CASE
        WHEN NOT JSON_VALID(json.value) THEN TRUE
        WHEN JSON_TYPE(json.value) <> 'OBJECT' THEN TRUE
        WHEN JSON_LENGTH(json.value) > 64 THEN TRUE
        ELSE EXISTS (
          SELECT 1 FROM JSON_TABLE(JSON_EXTRACT(json.value, '$.*'), '$[*]' COLUMNS (entry LONGTEXT PATH '$')) v
          WHERE entry IS NULL OR entry NOT REGEXP json.pattern)
        OR EXISTS (
          SELECT 1 FROM JSON_TABLE(JSON_KEYS(json.value), '$[*]' COLUMNS (entry LONGTEXT PATH '$')) k
          WHERE entry NOT REGEXP '[^[:space:]]' OR LENGTH(entry) > 512 OR LOCATE(CHAR(0 USING utf8mb4), entry) > 0)
      END
      LIMIT 1;
    END IF;
    SET problem = COALESCE(problem, CASE
      WHEN NEW.queue IS NULL THEN 'it needs the name of its queue, in column queue'
      WHEN NEW.text IS NOT NULL AND NEW.payload IS NOT NULL THEN 'it has both text and payload'
      WHEN LENGTH(COALESCE(NEW.text, NEW.payload)) > 16777216 THEN 'its payload is over the limit of 16777216 bytes'
      WHEN NEW.due NOT BETWEEN 1000000000000000 AND 221845392000000000 THEN 'column due must be in microseconds since the epoch'
      WHEN NEW.ttr NOT BETWEEN 1 AND 3155760000000000 THEN 'column ttr must be in microseconds, and at most 36525 days'
      WHEN NEW.queue = '' OR NEW.queue REGEXP '[^A-Za-z0-9_.:-]'
        THEN 'the name of a queue is 1 to 128 of letters, digits and _ - . :'
    END);
    IF problem IS NULL THEN
      -- Creates a missing queue, as a put does.
      SELECT q.id, q.options INTO chosen, settings FROM ${prefix}queue q WHERE q.name = NEW.queue AND q.live = 1;
      IF chosen IS NULL THEN
        INSERT INTO ${prefix}queue (name) VALUES (NEW.queue) ON DUPLICATE KEY UPDATE claims = claims + 1;
        SELECT q.id, q.options INTO chosen, settings FROM ${prefix}queue q WHERE q.name = NEW.queue AND q.live = 1;
      END IF;
      SET orders = JSON_VALUE(settings, '$.takeOrders');
      -- Takes an id from the same generator as a put. No other transaction sees the row.
      INSERT INTO ${prefix}task_id (id) VALUES (NULL);
      SET NEW.id = LAST_INSERT_ID();
      DELETE FROM ${prefix}task_id WHERE id = NEW.id;
      -- The same values as in a put.
      SET NEW.queue_id = chosen;
      SET NEW.priority = COALESCE(NEW.priority, JSON_VALUE(settings, '$.priority'), 0);
      SET NEW.created = moment;
      SET NEW.due = GREATEST(COALESCE(NEW.due, moment), moment);
      -- Durations in the options have the form PT26H3M4.5S.
      SET duration = JSON_VALUE(settings, '$.ttl');
      SET NEW.expires = COALESCE(NEW.expires, NEW.due + NULLIF(CAST(1000000 * (3600 * COALESCE(NULLIF(REGEXP_SUBSTR(duration, '[0-9]+(?=H)'), ''), 0)
        + 60 * COALESCE(NULLIF(REGEXP_SUBSTR(duration, '[0-9]+(?=M)'), ''), 0)
        + COALESCE(NULLIF(REGEXP_SUBSTR(duration, '[0-9.]+(?=S)'), ''), 0)) AS SIGNED), 0));
      SET duration = JSON_VALUE(settings, '$.ttr');
      SET NEW.own_ttr = NEW.ttr;
      SET NEW.ttr = COALESCE(NEW.ttr, NULLIF(CAST(1000000 * (3600 * COALESCE(NULLIF(REGEXP_SUBSTR(duration, '[0-9]+(?=H)'), ''), 0)
        + 60 * COALESCE(NULLIF(REGEXP_SUBSTR(duration, '[0-9]+(?=M)'), ''), 0)
        + COALESCE(NULLIF(REGEXP_SUBSTR(duration, '[0-9.]+(?=S)'), ''), 0)) AS SIGNED), 0),
        IF(JSON_VALUE(settings, '$.ttrDefault') = 'TTL', NEW.expires - NEW.due, NULL));
      SET NEW.place = IF(JSON_VALUE(settings, '$.placeBy') = 'DUE_TIME', NEW.due, 0);
      SET NEW.random = IF(CONCAT(' ', orders, ' ') LIKE '% RANDOM %', FLOOR(1 + RAND() * 9223372036854774784), NULL);
      SET NEW.take_type = IF(JSON_VALUE(settings, '$.typeFilter') = 'ON', NEW.type, NULL);
      IF LOCATE(':', orders) > 0 THEN
        SET spread_tag = SUBSTRING_INDEX(SUBSTRING(orders, LOCATE(':', orders) + 1), ' ', 1);
        SET spread_tag = REPLACE(REPLACE(spread_tag, '%20', ' '), '%25', '%');
        SET NEW.spread = COALESCE(JSON_VALUE(NEW.tags, CONCAT('$.', JSON_QUOTE(spread_tag))), '');
      END IF;
      SET NEW.payload = COALESCE(NEW.payload, NEW.text, '');
      SET NEW.content_type = NULLIF(NEW.content_type, '${text_type}');
      SET NEW.payload_hash = IF(NEW.external_key IS NOT NULL AND LENGTH(NEW.payload) > 0, SHA2(NEW.payload, 256), NULL);
    END IF;
    -- The gates: first the group, then the due time. Takes check the key.
    IF problem IS NULL AND NEW.group_id IS NOT NULL THEN
      IF ${portable} THEN
        UPDATE ${prefix}task_group g SET g.claims = g.claims + 1 WHERE g.id = NEW.group_id;
      END IF;
      SELECT g.state INTO group_is FROM ${prefix}task_group g WHERE g.id = NEW.group_id ${for_share};
      IF group_is IS NULL OR group_is NOT IN ('OPEN', 'STARTED') THEN
        SET problem = CONCAT('group ', NEW.group_id, COALESCE(CONCAT(' takes no more tasks, it is ', group_is), ' does not exist'));
      END IF;
    END IF;
    SET NEW.state = CASE WHEN group_is = 'OPEN' THEN ${WAITING_GROUP} WHEN NEW.due > moment THEN ${SCHEDULED} ELSE ${READY} END;
    -- Two concurrent inserts can both get the last space.
    SET capacity = JSON_VALUE(settings, '$.capacity');
    IF capacity > 0 THEN
      SELECT count(*) INTO live FROM (
        SELECT 1 FROM ${prefix}task t FORCE INDEX (task_state) WHERE t.queue_id = chosen LIMIT capacity) l;
    END IF;
    SET problem = COALESCE(problem, CASE
      WHEN NEW.expires <= NEW.due THEN 'column expires must be in microseconds since the epoch, and later than due'
      WHEN live >= capacity THEN CONCAT('queue ''', NEW.queue, ''' is full, it takes ', capacity, ' tasks')
    END);
    IF problem IS NOT NULL THEN
      -- SIGNAL refuses messages of more than 128 characters.
      SET problem = LEFT(CONCAT('Leat refuses the task: ', problem), 128);
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
    END IF;
    SET NEW.queue = NULL;
    SET NEW.text = NULL;
  END;
  END IF;
END;

-- The views are for people and BI tools; docs/sql.md describes their columns. Leat does not read them.
-- They use the clock of the database even where a test has replaced the clock of Leat.

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
  TIMESTAMPADD(MICROSECOND, t.created, TIMESTAMP'1970-01-01 00:00:00') AS put_at,
  TIMESTAMPADD(MICROSECOND, t.due, TIMESTAMP'1970-01-01 00:00:00') AS due_at,
  TIMESTAMPADD(MICROSECOND, t.previous_due, TIMESTAMP'1970-01-01 00:00:00') AS previous_due_at,
  TIMESTAMPADD(MICROSECOND, t.expires, TIMESTAMP'1970-01-01 00:00:00') AS expires_at,
  t.ttr / 1e6 AS ttr_seconds,
  t.attempts,
  t.failures,
  t.losses,
  t.releases,
  t.session_id AS session,
  TIMESTAMPADD(MICROSECOND, t.taken_at, TIMESTAMP'1970-01-01 00:00:00') AS taken_at,
  TIMESTAMPADD(MICROSECOND, t.lease_until, TIMESTAMP'1970-01-01 00:00:00') AS lease_until,
  t.revoke_at IS NOT NULL AS cancel_requested,
  TIMESTAMPADD(MICROSECOND, t.finished_at, TIMESTAMP'1970-01-01 00:00:00') AS finished_at,
  TIMESTAMPADD(MICROSECOND, t.hidden_at, TIMESTAMP'1970-01-01 00:00:00') AS kept_until,
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
    THEN CONVERT(t.payload USING utf8mb4) END AS payload_text,
  t.result_type,
  t.result,
  CASE WHEN t.result_type LIKE 'text/%' OR t.result_type LIKE '%/json%' OR t.result_type LIKE '%+json%'
      OR t.result_type LIKE '%/xml%' OR t.result_type LIKE '%+xml%'
    THEN CONVERT(t.result USING utf8mb4) END AS result_text,
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
-- FORCE INDEX: without statistics, the server would search by number in the attempts of all tasks.
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

-- The attempts with the columns of nsj-queue-lib, for queries that were written for its table. Its ids identify attempts: here
-- they are the id of the task followed by six digits for the number of the attempt.
CREATE OR REPLACE VIEW ${prefix}tarefas AS
SELECT
  CAST(a.task_id AS DECIMAL(25)) * 1000000 + a.attempt AS id,
  CAST(a.task_id AS DECIMAL(25)) * 1000000 + 1 AS id_inicial,
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
  CASE WHEN a.previous_status IS NOT NULL THEN CAST(a.task_id AS DECIMAL(25)) * 1000000 + a.attempt - 1 END AS id_anterior,
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
  CAST(a.publication_id AS DECIMAL(25)) * 1000000 + 1 AS publication_id,
  a.subscriber AS subscriber_id,
  a.dead_of IS NOT NULL AS dead,
  CAST(a.dead_of AS DECIMAL(25)) * 1000000 + 1 AS live_id,
  -a.priority AS prioridade,
  a.queue AS fila,
  a.task_id AS id_leat
FROM ${prefix}attempts a;

-- The ready task of each queue that was due first.
CREATE OR REPLACE VIEW ${prefix}oldest_waiting AS
SELECT
  q.name AS queue,
  t.id AS task_id,
  t.priority,
  t.type,
  t.task_key,
  TIMESTAMPADD(MICROSECOND, t.created, TIMESTAMP'1970-01-01 00:00:00') AS put_at,
  TIMESTAMPADD(MICROSECOND, t.due, TIMESTAMP'1970-01-01 00:00:00') AS due_at,
  (${server_now} - t.due) / 1e6 AS age_seconds
FROM ${prefix}queue q
JOIN ${prefix}task t ON t.id = (
  SELECT o.id FROM ${prefix}task o WHERE o.queue_id = q.id AND o.state = ${READY} ORDER BY o.due, o.id LIMIT 1)
WHERE q.live = 1;

-- One row per queue. Each count is an index scan that runs only if the query selects the column.
CREATE OR REPLACE VIEW ${prefix}queues AS
SELECT
  q.name AS queue,
  q.paused = 1 AS paused,
  coalesce((SELECT sum(CAST(JSON_VALUE(s.waiting, concat('$."', q.name, '"')) AS SIGNED))
    FROM ${prefix}session s), 0) AS consumers,
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
CREATE OR REPLACE VIEW ${prefix}failures AS
SELECT
  t.queue,
  a.outcome,
  a.message,
  count(*) AS attempts,
  count(DISTINCT a.task_id) AS tasks,
  TIMESTAMPADD(MICROSECOND, min(a.ended), TIMESTAMP'1970-01-01 00:00:00') AS first_at,
  TIMESTAMPADD(MICROSECOND, max(a.ended), TIMESTAMP'1970-01-01 00:00:00') AS last_at,
  max(a.task_id) AS example_task_id
FROM ${prefix}attempt a
JOIN ${prefix}tasks t ON t.id = a.task_id
WHERE a.number > 0 AND a.outcome IN ('FAILED', 'LOST', 'BURIED')
GROUP BY t.queue, a.outcome, a.message;

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
