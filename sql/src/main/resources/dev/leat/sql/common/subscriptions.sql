-- Subscriptions.

-- fragment: subscription_columns
s.id, s.topic, s.queue, s.tenant, s.business_group, s.active, s.reason, s.created,
  s.url, s.http_method, s.headers, s.secrets, s.timeout

-- name: change-subscription
UPDATE ${prefix}subscription SET topic = :topic, queue = :queue, tenant = :tenant, business_group = :business_group,
  url = :url, http_method = :http_method, headers = :headers,
  secrets = :secrets, timeout = :timeout, active = :active, reason = :reason
WHERE id = :id

-- name: insert-subscription
INSERT INTO ${prefix}subscription (topic, queue, tenant, business_group, url, http_method, headers,
  secrets, timeout, active, reason, id, created)
VALUES (
  :topic, :queue, :tenant, :business_group, :url, :http_method, :headers, :secrets, :timeout, :active, :reason, :id,
  :created)

-- name: subscription
SELECT ${subscription_columns} FROM ${prefix}subscription s WHERE s.id = ?

-- name: subscriptions
SELECT ${subscription_columns} FROM ${prefix}subscription s
WHERE s.id > ? AND (CAST(? AS ${text}) IS NULL OR s.topic = ?) ORDER BY s.id LIMIT ${limit}

-- name: some-subscriptions
SELECT ${subscription_columns} FROM ${prefix}subscription s ORDER BY s.id LIMIT ${limit}

-- name: enable-subscription
UPDATE ${prefix}subscription SET active = 1, reason = NULL WHERE id = ?

-- name: disable-subscription
UPDATE ${prefix}subscription SET active = 0, reason = ?
WHERE id = ? AND (CAST(? AS ${text}) IS NULL OR url = ?)

-- name: drop-subscription
DELETE FROM ${prefix}subscription WHERE id = ?

-- name: wanting-subscriptions
-- The subscriptions that get a copy. A subscription without a tenant or business group gets the publications of all.
SELECT s.id, s.topic, s.queue FROM ${prefix}subscription s
WHERE s.topic = ? AND s.active = 1 AND (s.tenant IS NULL OR s.tenant = ?)
  AND (s.business_group IS NULL OR s.business_group = ?)
ORDER BY s.id
