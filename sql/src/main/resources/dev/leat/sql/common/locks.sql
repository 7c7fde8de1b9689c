-- Leased locks, and the record of migrations.

-- name: hold-lock
-- Locks the row until the transaction ends. A write does so on all engines.
UPDATE ${prefix}lock SET holder = holder + 1 WHERE name = ?

-- name: renew-expired-lock
UPDATE ${prefix}lock SET holder = ?, held_until = ? WHERE name = ? AND held_until <= ?

-- name: renew-lock
UPDATE ${prefix}lock SET held_until = ? WHERE name = ? AND holder = ? AND held_until > ?

-- name: release-lock
DELETE FROM ${prefix}lock WHERE name = ? AND holder = ?

-- name: migrations
SELECT number, compatible FROM ${prefix}migration ORDER BY number

-- name: insert-migration
INSERT INTO ${prefix}migration (number, compatible, applied) VALUES (?, ?, ${server_now})
