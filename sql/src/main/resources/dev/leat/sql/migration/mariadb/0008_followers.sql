-- Groups that are part of others, and tasks that wait for others of their group. outer_id is the group that this one is part of while it
-- has not ended.
-- Every statement can be repeated after a crash half-way.
ALTER TABLE ${prefix}task_group
  ADD COLUMN /*M! IF NOT EXISTS */ outer_id BIGINT,
  ADD INDEX /*M! IF NOT EXISTS */ group_outer (outer_id);

-- Which task of a group waits for which. until_done is 1 where the other has to be done, 0 where any end will do; met is 1 once that has come.
-- The index is for whoever ends a task: nobody waits in most groups, and it says so.
CREATE TABLE IF NOT EXISTS ${prefix}dependency (
  group_id   BIGINT   NOT NULL,
  task_id    BIGINT   NOT NULL,
  after_id   BIGINT   NOT NULL,
  until_done SMALLINT NOT NULL,
  met        SMALLINT NOT NULL,
  PRIMARY KEY (task_id, after_id),
  INDEX dependency_group (group_id, met, after_id)
) ENGINE = InnoDB;
