-- Groups of any size: their tasks are moved in blocks, each in a transaction of its own, by whoever started or canceled the group and
-- then by sweeps. moving is 1 until all are; reason is why it was canceled.
ALTER TABLE ${prefix}task_group ADD COLUMN moving SMALLINT NOT NULL DEFAULT 0, ADD COLUMN reason TEXT;

-- How many tasks were put into the group, beside those that have left it. Not those of plain INSERTs.
ALTER TABLE ${prefix}group_count ADD COLUMN put BIGINT NOT NULL DEFAULT 0;

-- The group that this one is part of while it has not ended.
ALTER TABLE ${prefix}task_group ADD COLUMN outer_id BIGINT;

CREATE INDEX ${name}group_outer ON ${prefix}task_group (outer_id) WHERE outer_id IS NOT NULL;

-- Which task of a group waits for which. until_done is 1 where the other has to be done, 0 where any end will do; met is 1 once that has come.
CREATE TABLE ${prefix}dependency (
  group_id   BIGINT   NOT NULL,
  task_id    BIGINT   NOT NULL,
  after_id   BIGINT   NOT NULL,
  until_done SMALLINT NOT NULL,
  met        SMALLINT NOT NULL,
  PRIMARY KEY (group_id, task_id, after_id)
);

CREATE INDEX ${name}dependency_after ON ${prefix}dependency (group_id, after_id, task_id);
