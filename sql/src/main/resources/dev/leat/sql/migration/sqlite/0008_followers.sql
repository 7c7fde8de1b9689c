-- Groups that are part of others, and tasks that wait for others of their group. outer_id is the group that this one is part of while it
-- has not ended.
ALTER TABLE ${prefix}task_group ADD COLUMN outer_id INTEGER;

CREATE INDEX ${prefix}group_outer ON ${prefix}task_group (outer_id) WHERE outer_id IS NOT NULL;

-- Which task of a group waits for which. until_done is 1 where the other has to be done, 0 where any end will do; met is 1 once that has come.
CREATE TABLE ${prefix}dependency (
  group_id   INTEGER NOT NULL,
  task_id    INTEGER NOT NULL,
  after_id   INTEGER NOT NULL,
  until_done INTEGER NOT NULL,
  met        INTEGER NOT NULL,
  PRIMARY KEY (task_id, after_id)
) WITHOUT ROWID;

-- For whoever ends a task: nobody waits in most groups, and this says so.
CREATE INDEX ${prefix}dependency_group ON ${prefix}dependency (group_id, met, after_id);
