-- Times and durations are microseconds (times since the epoch). States are the codes of dev.leat.sql.internal.row.RowState:
-- 1 waiting for its group, 2 scheduled, 3 waiting for its key, 4 ready, 5 taken, 6 buried,
-- 11 done, 12 failed, 13 expired, 14 canceled. Live tasks are in ${prefix}task, finished ones in ${prefix}finished.
--
-- DDL commits by itself here, so every statement can be repeated after a crash half-way. Names compare byte by byte, trailing
-- spaces included: MariaDB and MySQL have that collation under different names, and each skips the other's comment.
-- claims counts who has kept the row for himself by writing it, which is how portable mode locks.

-- A dropped queue keeps its row, with live = NULL, for as long as finished tasks name it.
CREATE TABLE IF NOT EXISTS ${prefix}queue (
  id       BIGINT       NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name     VARCHAR(128) NOT NULL,
  live     SMALLINT     DEFAULT 1,
  options  MEDIUMTEXT   NOT NULL DEFAULT ('{}'),
  -- How long acknowledged tasks are kept, and whether with their payload; the options say so too.
  keep_done    BIGINT   NOT NULL DEFAULT 86400000000,
  keep_payload SMALLINT NOT NULL DEFAULT 0,
  paused   SMALLINT     NOT NULL DEFAULT 0,
  set_by   VARCHAR(20)  NOT NULL DEFAULT 'CODE',
  revision INTEGER      NOT NULL DEFAULT 0,
  claims   BIGINT       NOT NULL DEFAULT 0,
  UNIQUE INDEX queue_name (name, live)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- Hands out the ids of tasks. Rows are inserted for their numbers and rolled back at once, so nobody ever sees one of
-- another transaction, nobody waits for anybody, and ids ascend on MariaDB, MySQL and Galera alike.
CREATE TABLE IF NOT EXISTS ${prefix}task_id (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY
) ENGINE = InnoDB;

-- place, random, take_type and spread are what a take orders and filters by; they are filled only where the queue's
-- options ask for them. An index has an entry for every row here, so those that only some tasks need are on generated
-- columns that are NULL for all others: then a change of state, as by a lease, leaves their entries alone.
CREATE TABLE IF NOT EXISTS ${prefix}task (
  id             BIGINT       NOT NULL AUTO_INCREMENT PRIMARY KEY,
  queue_id       BIGINT       NOT NULL,
  state          SMALLINT     NOT NULL DEFAULT 4,
  priority       INTEGER      NOT NULL DEFAULT 0,
  -- 0 while buried: buried tasks are listed by priority and id.
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
  message        LONGTEXT,
  error_code     INTEGER      NOT NULL DEFAULT 0,
  -- NULL stands for text/plain; charset=utf-8, which most have.
  content_type   TEXT,
  payload        LONGBLOB,
  claims         BIGINT       NOT NULL DEFAULT 0,
  -- When time changes the task next: due while scheduled, the end of its lease while taken, else its time to live.
  timer_at       BIGINT       GENERATED ALWAYS AS (
    CASE state
      WHEN 2 THEN due
      WHEN 5 THEN least(coalesce(lease_until, revoke_at), coalesce(revoke_at, lease_until))
      ELSE expires
    END) STORED,
  ready_type     VARCHAR(512) GENERATED ALWAYS AS (CASE WHEN state = 4 THEN take_type END) STORED,
  ready_random   BIGINT       GENERATED ALWAYS AS (CASE WHEN state = 4 THEN random END) STORED,
  ready_spread   VARCHAR(20)  GENERATED ALWAYS AS (CASE WHEN state = 4 THEN spread END) STORED,
  -- The key and the state of those who stand in its line.
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
  UNIQUE INDEX task_address (queue_id, live_address)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- Shown until hidden_at; known for some minutes longer, to recognise settles that are repeated.
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
  message        LONGTEXT,
  error_code     INTEGER      NOT NULL,
  result_type    TEXT,
  result         LONGBLOB,
  content_type   TEXT,
  payload        LONGBLOB,
  INDEX finished_hidden (queue_id, state, hidden_at),
  INDEX finished_equivalent (queue_id, payload_hash)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- Unsuccessful deliveries. A delivery that was given back has number 0: it was no attempt, but its settle is known.
CREATE TABLE IF NOT EXISTS ${prefix}attempt (
  id         BIGINT       NOT NULL AUTO_INCREMENT PRIMARY KEY,
  task_id    BIGINT       NOT NULL,
  number     INTEGER      NOT NULL,
  started    BIGINT       NOT NULL,
  ended      BIGINT       NOT NULL,
  outcome    VARCHAR(20)  NOT NULL,
  message    LONGTEXT     NOT NULL,
  session_id VARCHAR(640),
  next_due   BIGINT,
  nonce      BIGINT       NOT NULL,
  settled_by SMALLINT     NOT NULL,
  INDEX attempt_task (task_id, id),
  INDEX attempt_given_back (number, ended)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- Who runs for a key. This primary key is the exclusion: whoever has the row runs, nobody else can.
-- asked counts those who found the key busy: the row tells an insert from an update by it, and is locked by its change.
CREATE TABLE IF NOT EXISTS ${prefix}key_lease (
  queue_id BIGINT       NOT NULL,
  task_key VARCHAR(512) NOT NULL,
  task_id  BIGINT       NOT NULL,
  asked    BIGINT       NOT NULL DEFAULT 0,
  PRIMARY KEY (queue_id, task_key)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- waiting tells how many takes wait for which queue, as JSON.
CREATE TABLE IF NOT EXISTS ${prefix}session (
  id           VARCHAR(640) NOT NULL PRIMARY KEY,
  dead_after   BIGINT       NOT NULL,
  grace        BIGINT       NOT NULL,
  heard        BIGINT       NOT NULL,
  disconnected BIGINT,
  waiting      MEDIUMTEXT,
  claims       BIGINT       NOT NULL DEFAULT 0
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- open_name is the name while the group has not ended, and NULL afterwards.
CREATE TABLE IF NOT EXISTS ${prefix}task_group (
  id           BIGINT       NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name         VARCHAR(512) NOT NULL,
  open_name    VARCHAR(512),
  state        VARCHAR(20)  NOT NULL,
  on_failure   VARCHAR(20)  NOT NULL,
  ends_as      VARCHAR(20)  NOT NULL,
  end_task     LONGBLOB,
  abort_task   LONGBLOB,
  closing_task BIGINT,
  ended_at     BIGINT,
  claims       BIGINT       NOT NULL DEFAULT 0,
  UNIQUE INDEX group_open_name (open_name),
  INDEX group_state (state),
  INDEX group_ended (ended_at)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

-- Tasks that have left a group. Settles append here and never write the group itself.
CREATE TABLE IF NOT EXISTS ${prefix}group_count (
  id       BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  group_id BIGINT NOT NULL,
  done     BIGINT NOT NULL,
  failed   BIGINT NOT NULL,
  canceled BIGINT NOT NULL,
  INDEX group_count_group (group_id)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS ${prefix}idempotency (
  queue_id    BIGINT       NOT NULL,
  idempotency VARCHAR(512) NOT NULL,
  task_id     BIGINT       NOT NULL,
  known_until BIGINT       NOT NULL,
  PRIMARY KEY (queue_id, idempotency),
  INDEX idempotency_until (known_until)
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;

CREATE TABLE IF NOT EXISTS ${prefix}lock (
  name       VARCHAR(700) NOT NULL PRIMARY KEY,
  holder     BIGINT       NOT NULL,
  held_until BIGINT       NOT NULL
) ENGINE = InnoDB, DEFAULT CHARSET = utf8mb4, COLLATE = /*M! utf8mb4_nopad_bin */ /*!80000 utf8mb4_0900_bin */;
