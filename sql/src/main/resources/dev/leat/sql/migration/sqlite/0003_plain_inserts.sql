-- INSERT INTO ${prefix}task (queue, text) VALUES ('emails', 'hello') is a put. The trigger turns such a row into what Leat's own
-- put would have written; queue and text are NULL in every row afterwards. Leat itself names queue_id.
-- The inserting program may have an older SQLite than Leat has: nothing here is newer than 3.38, where RAISE takes no
-- expressions yet. There is no SHA-256 either, so payload_hash stays NULL.

ALTER TABLE ${prefix}task ADD COLUMN queue TEXT;

ALTER TABLE ${prefix}task ADD COLUMN text TEXT;

-- What a put takes from the options of its queue. Durations in the options look like PT26H3M4.5S, so what is left after the
-- hours and then after the minutes begins with the next number.
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

-- Hands the row to the next trigger, which is too large to be started for every row that Leat inserts: SQLite makes room for all
-- its registers before it looks at the condition, and puts by thousands took half as long again.
CREATE TRIGGER ${prefix}plain_insert AFTER INSERT ON ${prefix}task WHEN NEW.queue IS NOT NULL OR NEW.queue_id = 0
BEGIN
  UPDATE ${prefix}task SET queue = NEW.queue WHERE id = NEW.id;
END;

CREATE TRIGGER ${prefix}plain_insert_complete AFTER UPDATE OF queue ON ${prefix}task
WHEN NEW.queue IS NOT NULL OR NEW.queue_id = 0
BEGIN
  -- What must not be there, or not so. What Leat could not read would keep its takes from working.
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
  -- The queue is made when it is missing, as by a put.
  INSERT INTO ${prefix}queue (name)
  SELECT NEW.queue WHERE NOT EXISTS (SELECT 1 FROM ${prefix}queue WHERE name = NEW.queue AND live = 1);
  -- State by state, since no index has all of them. The new row itself is not among them yet.
  SELECT RAISE(ABORT, 'Leat refuses the task: its queue is full')
  FROM ${prefix}put_default q WHERE q.name = NEW.queue AND q.capacity > 0 AND q.capacity <= (
    SELECT count(*) FROM (
      SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${WAITING_GROUP}
      UNION ALL SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${SCHEDULED}
      UNION ALL SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${WAITING_KEY}
      UNION ALL SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${READY}
      UNION ALL SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${TAKEN}
      UNION ALL SELECT 1 FROM ${prefix}task WHERE queue_id = q.id AND state = ${BURIED}));
  -- The same values as Puts gives a task; the gates are first the group, then the due time, and keys are for takes to look at.
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
  -- INSERT OR IGNORE means the update too: a row whose address is taken is gone again.
  DELETE FROM ${prefix}task WHERE id = NEW.id AND queue_id = 0;
END;
