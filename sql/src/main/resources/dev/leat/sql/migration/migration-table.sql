-- compatible is the last migration that an older version must know to work with these tables.
CREATE TABLE IF NOT EXISTS ${prefix}migration (
  number     INTEGER PRIMARY KEY,
  compatible INTEGER NOT NULL,
  applied    BIGINT  NOT NULL
);
