-- +goose Up

-- One row. owner is made by the program that first opens the file; schema is the number of the last migration.
CREATE TABLE meta (
	id     INTEGER PRIMARY KEY CHECK (id = 1),
	owner  TEXT    NOT NULL,
	schema INTEGER NOT NULL
) STRICT;
INSERT INTO meta (id, owner, schema) VALUES (1, '', 1);

-- Times are unix milliseconds, UTC; 0 is "not yet".
CREATE TABLE sandboxes (
	key       TEXT PRIMARY KEY,
	setup_key TEXT NOT NULL,
	id        TEXT NOT NULL, -- the provider's; empty while state is creating
	type      TEXT NOT NULL,
	block     TEXT NOT NULL,
	project   TEXT NOT NULL,
	thread    TEXT NOT NULL,
	run       TEXT NOT NULL,
	state     TEXT NOT NULL CHECK (state IN ('creating', 'ready', 'destroying', 'gone')),
	created   INTEGER NOT NULL,
	used      INTEGER NOT NULL,
	config    BLOB NOT NULL,
	spec      BLOB NOT NULL
) STRICT;
CREATE INDEX sandboxes_id ON sandboxes (id);

CREATE TABLE snapshots (
	id        TEXT NOT NULL, -- the provider's
	setup_key TEXT NOT NULL,
	type      TEXT NOT NULL,
	config    BLOB NOT NULL,
	label     TEXT NOT NULL,
	sandbox   TEXT NOT NULL,
	created   INTEGER NOT NULL,
	PRIMARY KEY (type, id)
) STRICT;

CREATE TABLE threads (
	id          TEXT PRIMARY KEY,
	project     TEXT NOT NULL,
	name        TEXT NOT NULL,
	harness     TEXT NOT NULL,
	session     TEXT NOT NULL,
	session_dir TEXT NOT NULL,
	created     INTEGER NOT NULL,
	used        INTEGER NOT NULL,
	UNIQUE (project, name)
) STRICT;

-- Wide columns come last: the fence check of each append reads this row and must not walk their overflow pages.
CREATE TABLE runs (
	id               TEXT PRIMARY KEY,
	thread           TEXT NOT NULL REFERENCES threads (id),
	status           TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'canceled')),
	epoch            INTEGER NOT NULL DEFAULT 0,
	lease_until      INTEGER NOT NULL DEFAULT 0,
	cancel_requested INTEGER NOT NULL DEFAULT 0,
	detached_since   INTEGER NOT NULL DEFAULT 0,
	created          INTEGER NOT NULL,
	started          INTEGER NOT NULL DEFAULT 0,
	finished         INTEGER NOT NULL DEFAULT 0,
	prompt_sent      INTEGER NOT NULL DEFAULT 0,
	exit             INTEGER,
	cost             REAL,
	key              TEXT NOT NULL,
	hash_key         BLOB NOT NULL,
	driver           TEXT NOT NULL DEFAULT '', -- JSON: boot id, pid, start time
	waiting_on       TEXT NOT NULL DEFAULT '', -- id of an open approval
	sandbox          TEXT NOT NULL DEFAULT '', -- key of the sandbox row
	proc             TEXT NOT NULL DEFAULT '', -- the agent's process id in the sandbox
	harness_sha256   TEXT NOT NULL DEFAULT '',
	reason           TEXT NOT NULL DEFAULT '',
	message          TEXT NOT NULL DEFAULT '',
	usage            BLOB,
	launch           BLOB, -- the harness's Launch as started
	spec             BLOB NOT NULL
) STRICT;
CREATE INDEX runs_thread ON runs (thread, created);
CREATE INDEX runs_created ON runs (created);
CREATE UNIQUE INDEX runs_live ON runs (thread) WHERE status IN ('pending', 'running');

-- +goose StatementBegin
CREATE TRIGGER runs_terminal BEFORE UPDATE ON runs
WHEN old.status IN ('completed', 'failed', 'canceled')
BEGIN
	SELECT raise(ABORT, 'run has ended');
END;
-- +goose StatementEnd

CREATE TABLE events (
	run     TEXT    NOT NULL,
	seq     INTEGER NOT NULL CHECK (seq > 0),
	time    INTEGER NOT NULL,
	source  TEXT    NOT NULL CHECK (source IN ('agent', 'host')),
	journal INTEGER NOT NULL, -- offset in the journal's out file
	hash    BLOB,
	big     TEXT,             -- file with the whole payload, if this row has only its start
	payload BLOB    NOT NULL,
	-- A row holds so many events, one a line of its payload; seq, journal and hash are the last one's.
	held    INTEGER NOT NULL DEFAULT 1 CHECK (held > 0),
	PRIMARY KEY (run, seq)
) STRICT;

CREATE TABLE approvals (
	id       TEXT NOT NULL,
	run      TEXT NOT NULL REFERENCES runs (id),
	kind     TEXT NOT NULL,
	target   TEXT NOT NULL,
	title    TEXT NOT NULL,
	rule     TEXT NOT NULL,
	options  BLOB,
	asked    INTEGER NOT NULL,
	expires  INTEGER NOT NULL, -- 0: never
	decision TEXT NOT NULL DEFAULT '' CHECK (decision IN ('', 'allow', 'deny')),
	scope    TEXT NOT NULL DEFAULT '',
	"by"     TEXT NOT NULL DEFAULT '',
	at       INTEGER NOT NULL DEFAULT 0,
	closed   INTEGER NOT NULL DEFAULT 0, -- when the driver wrote approval.decided
	-- When somebody took back an answer that was given for more than its request, and who; 0: it counts on.
	withdrawn    INTEGER NOT NULL DEFAULT 0,
	withdrawn_by TEXT    NOT NULL DEFAULT '',
	PRIMARY KEY (run, id)
) STRICT;
CREATE INDEX approvals_open ON approvals (run, asked) WHERE closed = 0;

CREATE TABLE leases (
	name  TEXT PRIMARY KEY,
	owner TEXT NOT NULL,
	until INTEGER NOT NULL
) STRICT;
