-- What a put with an idempotency key was about: another put with the same key and another fingerprint is no repetition, and refused.
ALTER TABLE ${prefix}idempotency ADD COLUMN fingerprint TEXT;
