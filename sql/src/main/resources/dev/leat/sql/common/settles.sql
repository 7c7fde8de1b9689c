-- Ends of deliveries: finished tasks and attempts.

-- name: insert-finished
INSERT INTO ${prefix}finished (
  id, queue_id, state, finished_at, hidden_at, priority, created, due, previous_due, expires, ttr, attempts, failures,
  losses, releases, settled_nonce, settled_by, task_key, address, group_id, type, tenant, business_group, origin,
  destination, external_key, payload_hash, tags, trace, dead_of, publication_id, subscriber, message, error_code,
  result_type, result, content_type, payload)
VALUES (
  :id, :queue_id, :state, :finished_at, :hidden_at, :priority, :created, :due, :previous_due, :expires, :ttr, :attempts,
  :failures, :losses, :releases, :settled_nonce, :settled_by, :task_key, :address, :group_id, :type, :tenant,
  :business_group, :origin, :destination, :external_key, :payload_hash, :tags, :trace, :dead_of, :publication_id,
  :subscriber, :message, :error_code, :result_type, :result, :content_type, :payload)

-- name: insert-attempt
INSERT INTO ${prefix}attempt (
  task_id, number, started, ended, outcome, message, session_id, next_due, nonce, settled_by, due, exception, stack_trace)
VALUES (
  :task_id, :number, :started, :ended, :outcome, :message, :session_id, :next_due, :nonce, :settled_by, :due,
  :exception, :stack_trace)

-- name: trim-attempts
-- Limits the rows of a task that is tried for ever.
DELETE FROM ${prefix}attempt WHERE task_id = ? AND id <= (
  SELECT a.id FROM ${prefix}attempt a WHERE a.task_id = ? ORDER BY a.id DESC LIMIT 1 OFFSET ?)

-- name: attempts
SELECT number, started, ended, outcome, message, session_id, next_due, exception, stack_trace FROM ${prefix}attempt
WHERE task_id = ? AND number > 0 ORDER BY id

-- name: was-settled
SELECT 1 FROM ${prefix}attempt WHERE task_id = ? AND nonce = ? AND settled_by = ? LIMIT 1
