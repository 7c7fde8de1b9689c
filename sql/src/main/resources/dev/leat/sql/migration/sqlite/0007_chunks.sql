-- The last part of its result that a running task has told of. It counts while chunk_nonce is the nonce of the lease: so it ends with
-- the lease, and whoever takes, settles or loses a task need not know of it.
ALTER TABLE ${prefix}task ADD COLUMN chunk INTEGER;

ALTER TABLE ${prefix}task ADD COLUMN chunk_nonce INTEGER;
