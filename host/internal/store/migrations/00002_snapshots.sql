-- +goose Up

-- Nothing has written the table of the first migration.
DROP TABLE snapshots;

CREATE TABLE snapshots (
	id        TEXT NOT NULL, -- the provider's
	type      TEXT NOT NULL, -- of the provider
	kind      TEXT NOT NULL CHECK (kind IN ('setup', 'run', 'hand')),
	setup_key TEXT NOT NULL,
	key       TEXT NOT NULL, -- identity of the sandbox of which it was made
	source    TEXT NOT NULL, -- what the workspace's source was like; empty where nobody looked
	block     TEXT NOT NULL,
	thread    TEXT NOT NULL,
	label     TEXT NOT NULL,
	sandbox   TEXT NOT NULL, -- its id
	size      INTEGER NOT NULL, -- bytes; -1 where unknown
	created   INTEGER NOT NULL,
	config    BLOB NOT NULL,
	spec      BLOB NOT NULL,
	PRIMARY KEY (type, id)
) STRICT;
CREATE INDEX snapshots_setup ON snapshots (setup_key, created);

UPDATE meta SET schema = 2;
