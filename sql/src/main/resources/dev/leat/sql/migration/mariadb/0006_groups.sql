-- Groups of any size: their tasks are moved in blocks, each in a transaction of its own, by whoever started or canceled the group and
-- then by sweeps. moving is 1 until all are; reason is why it was canceled. outer_id is the group that this one is part of while it has
-- not ended.
-- Every statement can be repeated after a crash half-way.
ALTER TABLE ${prefix}task_group
  ADD COLUMN /*M! IF NOT EXISTS */ moving SMALLINT NOT NULL DEFAULT 0,
  ADD COLUMN /*M! IF NOT EXISTS */ reason LONGTEXT,
  ADD COLUMN /*M! IF NOT EXISTS */ outer_id BIGINT,
  ADD INDEX /*M! IF NOT EXISTS */ group_outer (outer_id);

-- How many tasks were put into the group, beside those that have left it. Not those of plain INSERTs.
ALTER TABLE ${prefix}group_count
  ADD COLUMN /*M! IF NOT EXISTS */ put BIGINT NOT NULL DEFAULT 0;

-- Which task of a group waits for which. until_done is 1 where the other has to be done, 0 where any end will do; met is 1 once that has come.
CREATE TABLE IF NOT EXISTS ${prefix}dependency (
  group_id   BIGINT   NOT NULL,
  task_id    BIGINT   NOT NULL,
  after_id   BIGINT   NOT NULL,
  until_done SMALLINT NOT NULL,
  met        SMALLINT NOT NULL,
  PRIMARY KEY (group_id, task_id, after_id),
  INDEX dependency_after (group_id, after_id, task_id)
) ENGINE = InnoDB;
