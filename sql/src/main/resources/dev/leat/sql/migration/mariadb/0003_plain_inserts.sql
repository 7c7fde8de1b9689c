-- INSERT INTO ${prefix}task (queue, text) VALUES ('emails', 'hello') is a put. The trigger turns such a row into what Leat's own
-- put would have written; queue and text are NULL in every row that is stored. Leat itself names queue_id.
-- priority may be NULL until the trigger has seen it, so that a 0 can be told from none; MariaDB is not reliable in that where
-- a column has neither a default nor room for a NULL.
ALTER TABLE ${prefix}task
  ADD COLUMN /*M! IF NOT EXISTS */ queue VARCHAR(128),
  ADD COLUMN /*M! IF NOT EXISTS */ text LONGTEXT,
  ALTER COLUMN queue_id SET DEFAULT 0,
  MODIFY COLUMN priority INTEGER;

-- Where the trigger cannot be made, a plain insert must not look like a put and never be found.
ALTER TABLE ${prefix}task
  ADD CONSTRAINT /*M! IF NOT EXISTS */ ${name}plain_insert_needs_its_trigger CHECK (queue IS NULL AND queue_id <> 0);

DROP TRIGGER IF EXISTS ${prefix}plain_insert;

-- Runs with the rights of whoever made it: to insert, a user needs no other right than that.
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
    -- What must not be there, or not so. What Leat could not read would keep its takes from working.
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
      -- The queue is made when it is missing, as by a put.
      SELECT q.id, q.options INTO chosen, settings FROM ${prefix}queue q WHERE q.name = NEW.queue AND q.live = 1;
      IF chosen IS NULL THEN
        INSERT INTO ${prefix}queue (name) VALUES (NEW.queue) ON DUPLICATE KEY UPDATE claims = claims + 1;
        SELECT q.id, q.options INTO chosen, settings FROM ${prefix}queue q WHERE q.name = NEW.queue AND q.live = 1;
      END IF;
      SET orders = JSON_VALUE(settings, '$.takeOrders');
      -- Ids come from where Leat's own come from, and nobody else sees the row.
      INSERT INTO ${prefix}task_id (id) VALUES (NULL);
      SET NEW.id = LAST_INSERT_ID();
      DELETE FROM ${prefix}task_id WHERE id = NEW.id;
      -- The same values as Puts gives a task.
      SET NEW.queue_id = chosen;
      SET NEW.priority = COALESCE(NEW.priority, JSON_VALUE(settings, '$.priority'), 0);
      SET NEW.created = moment;
      SET NEW.due = GREATEST(COALESCE(NEW.due, moment), moment);
      -- Durations in the options look like PT26H3M4.5S.
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
    -- The gates: first the group, then the due time. Keys are for takes to look at.
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
    -- Two who insert at the same time may both find the last place.
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
      -- A message has 128 characters.
      SET problem = LEFT(CONCAT('Leat refuses the task: ', problem), 128);
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
    END IF;
    SET NEW.queue = NULL;
    SET NEW.text = NULL;
  END;
  END IF;
END;
