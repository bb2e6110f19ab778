package store

import (
	"database/sql"
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
)

// later are the migrations of a later program: ours, and one more.
func later(t *testing.T) fs.FS {
	t.Helper()
	files := fstest.MapFS{"migrations/00003_later.sql": {Data: []byte("-- +goose Up\nALTER TABLE threads ADD COLUMN later TEXT NOT NULL DEFAULT 'added';\nUPDATE meta SET schema = 3;\n")}}
	names := got[[]string](t)(fs.Glob(migrations, "migrations/*"))
	for _, name := range names {
		files[name] = &fstest.MapFile{Data: got[[]byte](t)(fs.ReadFile(migrations, name))}
	}
	return files
}

// migrated closes a store and migrates its file, as a program with these migrations would.
func migrated(t *testing.T, s *Store, files fs.FS, version int64) error {
	t.Helper()
	must(t, s.Close())
	db := got[*sql.DB](t)(sql.Open("sqlite", dsn(s.Path())))
	defer func() { must(t, db.Close()) }()
	return migrate(t.Context(), s.Path(), db, files, version)
}

func TestALaterProgramBringsAFileUpToDate(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	epoch := claimed(t, s, "r")
	got[int64](t)(s.Append(t.Context(), "r", epoch, []Event{{Source: Agent, Payload: []byte("0")}, {Source: Agent, Payload: []byte("1")}}))
	must(t, migrated(t, s, later(t), 3))
	db := got[*sql.DB](t)(sql.Open("sqlite", dsn(s.Path())))
	defer func() { must(t, db.Close()) }()
	must(t, migrate(t.Context(), s.Path(), db, later(t), 3)) // there is nothing to do
	var added, events string
	must(t, db.QueryRowContext(t.Context(), "SELECT later, (SELECT payload FROM events) FROM threads").Scan(&added, &events))
	same(t, "what was added", added, "added")
	same(t, "payloads", events, "0\n1")
	// Now ours is the older program.
	_, err := Open(t.Context(), s.Path())
	var newer *NewerError
	if !errors.As(err, &newer) || newer.Found != 3 || newer.Known != schemaVersion {
		t.Errorf("the file is opened: %v", err)
	}
}

func TestAMigrationThatFailsLeavesTheFileAsItWas(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	files := later(t).(fstest.MapFS)
	files["migrations/00003_later.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE half (a TEXT);\nUPDATE meta SET schema = 3;\nno SQL;\n")}
	if err := migrated(t, s, files, 3); err == nil {
		t.Error("it was migrated")
	}
	s = got[*Store](t)(Open(t.Context(), s.Path()))
	t.Cleanup(func() { _ = s.Close() })
	var schema, half int
	must(t, s.read.QueryRowContext(t.Context(), "SELECT schema, (SELECT count(*) FROM sqlite_schema WHERE name = 'half') FROM meta").Scan(&schema, &half))
	if schema != schemaVersion || half != 0 {
		t.Errorf("schema %d, %d new tables", schema, half)
	}
}

func TestAFileOfAnOlderSchemaIsNotLookedAt(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	must(t, s.Close())
	edit(t, s.Path(), "UPDATE meta SET schema = 0")
	_, err := Peek(t.Context(), s.Path())
	var older *OlderError
	if !errors.As(err, &older) || older.Path != s.Path() {
		t.Errorf("a look at it: %v", err)
	}
}
