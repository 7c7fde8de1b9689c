-- Groups of any size: their tasks are moved in blocks, each in a transaction of its own, by whoever started or canceled the group and
-- then by sweeps. moving is 1 until all are; reason is why it was canceled.
ALTER TABLE ${prefix}task_group ADD COLUMN moving INTEGER NOT NULL DEFAULT 0;

ALTER TABLE ${prefix}task_group ADD COLUMN reason TEXT;

-- How many tasks were put into the group, beside those that have left it. Not those of plain INSERTs.
ALTER TABLE ${prefix}group_count ADD COLUMN put INTEGER NOT NULL DEFAULT 0;
