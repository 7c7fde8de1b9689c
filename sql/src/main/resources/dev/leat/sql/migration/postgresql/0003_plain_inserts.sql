-- INSERT INTO ${prefix}task (queue, text) VALUES ('emails', 'hello') is a put. The trigger turns such a row into what Leat's own
-- put would have written; queue and text are NULL in every row that is stored. Leat itself names queue_id, and pays nothing.
-- priority has no default, so that the trigger can tell a 0 from none.
ALTER TABLE ${prefix}task ADD COLUMN queue TEXT, ADD COLUMN text TEXT, ALTER COLUMN priority DROP DEFAULT;

-- Runs with the rights of whoever made the tables: to insert, a user needs no other right than that.
CREATE FUNCTION ${prefix}plain_insert() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  moment       BIGINT := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
  chosen       RECORD;
  settings     JSONB;
  spread_tag   TEXT;
  group_is     TEXT;
  room         INTEGER;
  told         TEXT;
  news         TEXT;
  problem      TEXT;
BEGIN
  -- What must not be there, or not so. What Leat could not read would keep its takes from working.
  SELECT 'column ' || own.name || ' is Leat''s own, leave it out' INTO problem FROM (VALUES
    ('id', NEW.id IS DISTINCT FROM currval('${prefix}task_id_seq')), ('queue_id', NEW.queue_id IS NOT NULL),
    ('state', NEW.state IS DISTINCT FROM ${READY}), ('place', NEW.place IS DISTINCT FROM 0),
    ('lane', NEW.lane IS DISTINCT FROM 0), ('random', NEW.random IS NOT NULL),
    ('take_type', NEW.take_type IS NOT NULL), ('spread', NEW.spread IS NOT NULL),
    ('previous_due', NEW.previous_due IS NOT NULL), ('own_ttr', NEW.own_ttr IS NOT NULL),
    ('attempts', NEW.attempts IS DISTINCT FROM 0), ('failures', NEW.failures IS DISTINCT FROM 0),
    ('losses', NEW.losses IS DISTINCT FROM 0), ('releases', NEW.releases IS DISTINCT FROM 0),
    ('nonce', NEW.nonce IS NOT NULL), ('session_id', NEW.session_id IS NOT NULL),
    ('taken_at', NEW.taken_at IS NOT NULL), ('lease_until', NEW.lease_until IS NOT NULL),
    ('revoke_at', NEW.revoke_at IS NOT NULL), ('settled_nonce', NEW.settled_nonce IS NOT NULL),
    ('settled_by', NEW.settled_by IS DISTINCT FROM 0), ('payload_hash', NEW.payload_hash IS NOT NULL),
    ('dead_of', NEW.dead_of IS NOT NULL), ('message', NEW.message IS NOT NULL),
    ('error_code', NEW.error_code IS DISTINCT FROM 0)) own (name, given)
  WHERE own.given LIMIT 1;
  IF problem IS NULL THEN
    SELECT 'column ' || word.name || ' must have 1 to 512 bytes, and not be blank' INTO problem FROM (VALUES
      ('task_key', NEW.task_key), ('address', NEW.address), ('type', NEW.type), ('tenant', NEW.tenant),
      ('business_group', NEW.business_group), ('origin', NEW.origin), ('destination', NEW.destination),
      ('external_key', NEW.external_key), ('content_type', NEW.content_type)) word (name, value)
    WHERE word.value !~ '[^[:space:]]' OR octet_length(word.value) > 512 LIMIT 1;
  END IF;
  IF problem IS NULL THEN
    SELECT 'column ' || json.name || ' must be a JSON object without nesting: at most 64 names of at most 512 bytes, with '
      || CASE json.name WHEN 'tags' THEN 'whole numbers' ELSE 'texts' END
    INTO problem FROM (VALUES
      ('tags', NEW.tags::jsonb, 'number', '^-?[0-9]{1,18}$'), ('trace', NEW.trace::jsonb, 'string', '')) json (name, value, kind, pattern)
    WHERE CASE WHEN jsonb_typeof(json.value) <> 'object' THEN true ELSE EXISTS (
      SELECT 1 FROM jsonb_each(json.value) entry
      WHERE jsonb_typeof(entry.value) <> json.kind OR entry.value::text !~ json.pattern OR entry.key !~ '[^[:space:]]'
        OR octet_length(entry.key) > 512) OR (SELECT count(*) FROM jsonb_object_keys(json.value)) > 64 END
    LIMIT 1;
  END IF;
  problem := coalesce(problem, CASE
    WHEN NEW.queue IS NULL THEN 'it needs the name of its queue, in column queue'
    WHEN NEW.text IS NOT NULL AND NEW.payload IS NOT NULL THEN 'it has both text and payload'
    WHEN greatest(octet_length(NEW.text), octet_length(NEW.payload)) > 16777216
      THEN 'its payload is over the limit of 16777216 bytes'
    WHEN NEW.due NOT BETWEEN 1000000000000000 AND 221845392000000000 THEN 'column due must be in microseconds since the epoch'
    WHEN NEW.ttr NOT BETWEEN 1 AND 3155760000000000 THEN 'column ttr must be in microseconds, and at most 36525 days'
  END);
  IF problem IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = 'Leat refuses the task: ' || problem;
  END IF;
  -- The queue is made when it is missing, as by a put.
  SELECT q.id, q.options INTO chosen FROM ${prefix}queue q WHERE q.name = NEW.queue AND q.live = 1;
  IF NOT FOUND THEN
    IF NEW.queue ~ '[^A-Za-z0-9_.:-]' OR length(NEW.queue) NOT BETWEEN 1 AND 128 THEN
      RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE =
        'Leat refuses the task: the name of a queue is 1 to 128 of letters, digits and _ - . : but was ' || quote_literal(NEW.queue);
    END IF;
    INSERT INTO ${prefix}queue (name) VALUES (NEW.queue) ON CONFLICT DO NOTHING;
    SELECT q.id, q.options INTO STRICT chosen FROM ${prefix}queue q WHERE q.name = NEW.queue AND q.live = 1;
  END IF;
  settings := chosen.options::jsonb;
  -- The same values as Puts gives a task.
  NEW.queue_id := chosen.id;
  NEW.priority := coalesce(NEW.priority, (settings ->> 'priority')::int, 0);
  NEW.created := moment;
  NEW.due := greatest(NEW.due, moment);
  NEW.expires := coalesce(NEW.expires, NEW.due + (extract(epoch FROM (settings ->> 'ttl')::interval) * 1000000)::bigint);
  IF NEW.expires <= NEW.due THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE =
      'Leat refuses the task: column expires must be in microseconds since the epoch, and later than due';
  END IF;
  NEW.own_ttr := NEW.ttr;
  NEW.ttr := coalesce(NEW.ttr, (extract(epoch FROM (settings ->> 'ttr')::interval) * 1000000)::bigint,
    CASE WHEN settings ->> 'ttrDefault' = 'TTL' THEN NEW.expires - NEW.due END);
  NEW.place := CASE WHEN settings ->> 'placeBy' = 'DUE_TIME' THEN NEW.due ELSE 0 END;
  NEW.random := CASE WHEN ' ' || (settings ->> 'takeOrders') || ' ' LIKE '% RANDOM %'
    THEN (random() * 9223372036854774784)::bigint + 1 END;
  NEW.take_type := CASE WHEN settings ->> 'typeFilter' = 'ON' THEN NEW.type END;
  spread_tag := replace(replace(substring(settings ->> 'takeOrders' FROM ':([^ ]*)'), '%20', ' '), '%25', '%');
  NEW.spread := CASE WHEN spread_tag IS NOT NULL THEN coalesce(NEW.tags::jsonb ->> spread_tag, '') END;
  NEW.tags := nullif(NEW.tags::jsonb::text, '{}');
  NEW.trace := nullif(NEW.trace::jsonb::text, '{}');
  NEW.payload := coalesce(NEW.payload, convert_to(NEW.text, 'UTF8'), '');
  NEW.content_type := nullif(NEW.content_type, '${text_type}');
  NEW.payload_hash := CASE WHEN NEW.external_key IS NOT NULL AND length(NEW.payload) > 0
    THEN encode(sha256(NEW.payload), 'hex') END;
  -- The gates: first the group, then the due time. Keys are for takes to look at.
  IF NEW.group_id IS NOT NULL THEN
    SELECT g.state INTO group_is FROM ${prefix}task_group g WHERE g.id = NEW.group_id FOR SHARE;
    IF group_is IS NULL OR group_is NOT IN ('OPEN', 'STARTED') THEN
      RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE =
        'Leat refuses the task: group ' || NEW.group_id || coalesce(' takes no more tasks, it is ' || group_is, ' does not exist');
    END IF;
  END IF;
  NEW.state := CASE WHEN group_is = 'OPEN' THEN ${WAITING_GROUP} WHEN NEW.due > moment THEN ${SCHEDULED} ELSE ${READY} END;
  -- State by state, since no index has all of them. Two who insert at the same time may both find the last place.
  room := (settings ->> 'capacity')::int;
  IF room > 0 AND (SELECT count(*) FROM (
      SELECT 1 FROM ${prefix}task t WHERE t.queue_id = chosen.id AND t.state = ${WAITING_GROUP}
      UNION ALL SELECT 1 FROM ${prefix}task t WHERE t.queue_id = chosen.id AND t.state = ${SCHEDULED}
      UNION ALL SELECT 1 FROM ${prefix}task t
        WHERE t.queue_id = chosen.id AND t.task_key IS NOT NULL AND t.state = ${WAITING_KEY}
      UNION ALL SELECT 1 FROM ${prefix}task t WHERE t.queue_id = chosen.id AND t.state = ${READY}
      UNION ALL SELECT 1 FROM ${prefix}task t WHERE t.queue_id = chosen.id AND t.state = ${TAKEN}
      UNION ALL SELECT 1 FROM ${prefix}task t WHERE t.queue_id = chosen.id AND t.state = ${BURIED}
      LIMIT room) live) >= room THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE =
      'Leat refuses the task: queue ''' || NEW.queue || ''' is full, it takes ' || room || ' tasks';
  END IF;
  -- Each transaction tells of its first row only, whose id is the lowest, and only if somebody was heard to wait: see notify-sleepers.
  news := CASE NEW.state WHEN ${READY} THEN 'fresh ' || NEW.queue || ' ' || NEW.priority WHEN ${SCHEDULED} THEN 'timer' END;
  told := coalesce(current_setting('leat.told', true), '');
  IF strpos(told, '[${channel} ' || news || ']') = 0 THEN
    PERFORM set_config('leat.told', told || '[${channel} ' || news || ']', true);
    PERFORM pg_notify('${channel}', concat_ws(' ', '-', news, CASE NEW.state WHEN ${READY} THEN NEW.id END))
    WHERE EXISTS (
      SELECT 1 FROM ${prefix}session s WHERE s.waiting IS NOT NULL AND jsonb_exists(s.waiting::jsonb, NEW.queue));
  END IF;
  NEW.queue := NULL;
  NEW.text := NULL;
  RETURN NEW;
END
$$;

-- Whoever inserts must not be able to slip in tables of his own.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION ${prefix}plain_insert() SET search_path = %I, pg_temp', coalesce(current_schema(), 'pg_catalog'));
END
$$;

CREATE TRIGGER plain_insert BEFORE INSERT ON ${prefix}task
FOR EACH ROW WHEN (NEW.queue IS NOT NULL OR NEW.queue_id IS NULL) EXECUTE FUNCTION ${prefix}plain_insert();
