-- The file: changes by other processes, copies, the doctor and migrations.

-- name: changes
PRAGMA data_version

-- name: file
-- The path of the file.
SELECT file FROM pragma_database_list WHERE name = 'main'

-- name: copy-file
VACUUM INTO ?

-- name: bytes-in-use
SELECT (p.page_count - f.freelist_count) * s.page_size FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s

-- name: check-pages
PRAGMA quick_check(1)

-- name: leave-wal-mode
PRAGMA journal_mode = DELETE

-- name: count-live-tasks
SELECT count(*) FROM ${prefix}task

-- name: living-sessions
SELECT id FROM ${prefix}session WHERE disconnected IS NULL AND heard + dead_after > ? ORDER BY id

-- name: disconnect-all
-- Sets disconnected to 1 microsecond after 1970, so that every grace is over.
UPDATE ${prefix}session SET disconnected = 1, grace = 0, waiting = NULL

-- name: examine
SELECT 'WARNING', printf('%d of %d MB of the file are unused.', f.freelist_count * s.page_size / 1000000,
  p.page_count * s.page_size / 1000000), 'VACUUM makes it smaller, while no other process writes.'
FROM pragma_freelist_count f, pragma_page_count p, pragma_page_size s
WHERE f.freelist_count * 2 > p.page_count AND f.freelist_count * s.page_size > 100000000

-- name: lock-migrations
-- The writing transaction is the lock.
SELECT 1

-- name: unlock-migrations
SELECT 1

-- name: has-migrations
SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '${prefix}migration'
