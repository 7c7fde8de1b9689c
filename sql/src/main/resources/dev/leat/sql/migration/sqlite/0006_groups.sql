-- Groups of any size: their tasks are moved in blocks, each in a transaction of its own, by whoever started or canceled the group and
-- then by sweeps. moving is 1 until all are; reason is why it was canceled.
ALTER TABLE ${prefix}task_group ADD COLUMN moving INTEGER NOT NULL DEFAULT 0;

ALTER TABLE ${prefix}task_group ADD COLUMN reason TEXT;

-- How many tasks were put into the group, beside those that have left it. Not those of plain INSERTs.
ALTER TABLE ${prefix}group_count ADD COLUMN put INTEGER NOT NULL DEFAULT 0;

-- The group that this one is part of while it has not ended.
ALTER TABLE ${prefix}task_group ADD COLUMN outer_id INTEGER;

CREATE INDEX ${prefix}group_outer ON ${prefix}task_group (outer_id) WHERE outer_id IS NOT NULL;

-- Which task of a group waits for which. until_done is 1 where the other has to be done, 0 where any end will do; met is 1 once that has come.
CREATE TABLE ${prefix}dependency (
  group_id   INTEGER NOT NULL,
  task_id    INTEGER NOT NULL,
  after_id   INTEGER NOT NULL,
  until_done INTEGER NOT NULL,
  met        INTEGER NOT NULL,
  PRIMARY KEY (group_id, task_id, after_id)
) WITHOUT ROWID;

CREATE INDEX ${prefix}dependency_after ON ${prefix}dependency (group_id, after_id, task_id);
