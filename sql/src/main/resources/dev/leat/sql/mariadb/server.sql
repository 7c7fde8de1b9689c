-- Locks, the doctor, settings and migrations.

-- name: acquire-lock
INSERT IGNORE INTO ${prefix}lock (name, holder, held_until) VALUES (?, ?, ?)

-- name: examine
-- Transactions that keep the server from cleaning up old row versions. Needs the PROCESS privilege to see those of other users.
SELECT 'WARNING', CONCAT('Connection ', trx_mysql_thread_id, ' keeps a transaction open for ',
  TIMESTAMPDIFF(SECOND, trx_started, NOW()), ' s.'),
  CONCAT('End it, or KILL ', trx_mysql_thread_id, ': old versions of rows cannot be cleaned up meanwhile.')
FROM information_schema.innodb_trx
WHERE trx_started < NOW() - INTERVAL 300 SECOND AND trx_mysql_thread_id <> CONNECTION_ID()
UNION ALL
SELECT 'TROUBLE', 'The server can only be read.', 'Connect to the primary.' FROM (SELECT 1) one WHERE @@read_only = 1

-- name: lock-timeout
SELECT @@SESSION.innodb_lock_wait_timeout

-- name: set-lock-timeout
SET SESSION innodb_lock_wait_timeout = ?

-- name: create-schema
CREATE DATABASE IF NOT EXISTS ${schema}

-- name: lock-migrations
-- The name belongs to the server, not to the database, and has at most 64 characters.
SELECT GET_LOCK(MD5(CONCAT('leat ', IF(LOCATE('.', '${prefix}') > 0, '${prefix}', CONCAT(DATABASE(), '.${prefix}')))), 0)

-- name: unlock-migrations
SELECT RELEASE_LOCK(MD5(CONCAT('leat ', IF(LOCATE('.', '${prefix}') > 0, '${prefix}', CONCAT(DATABASE(), '.${prefix}')))))

-- name: has-migrations
SELECT 1 FROM information_schema.tables
WHERE table_schema = IF(LOCATE('.', '${prefix}') > 0, SUBSTRING_INDEX('${prefix}', '.', 1), DATABASE())
  AND table_name = '${name}migration'
