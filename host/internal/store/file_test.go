package store

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// edit changes a store file behind the package's back.
func edit(t *testing.T, path string, statements ...string) {
	t.Helper()
	db := got[*sql.DB](t)(sql.Open("sqlite", dsn(path)))
	for _, stmt := range statements {
		_ = got[sql.Result](t)(db.ExecContext(t.Context(), stmt))
	}
	must(t, db.Close())
}

func TestOwnerIsMadeOnce(t *testing.T) {
	home := t.TempDir()
	first := openSQLite(t, home)
	id := got[uuid.UUID](t)(uuid.Parse(first.Owner()))
	same(t, "version", id.Version(), uuid.Version(7))
	same(t, "beside it", openSQLite(t, home).Owner(), first.Owner())
	must(t, first.Close())
	same(t, "later", openSQLite(t, home).Owner(), first.Owner())
}

func TestNobodyElseCanReadTheFiles(t *testing.T) {
	home := filepath.Join(t.TempDir(), "a", "home")
	s := openSQLite(t, home)
	claimed(t, s, "r")
	for _, name := range []string{".", "store.db", "store.db-wal", "store.db-shm", "store.db.lock"} {
		want := os.FileMode(0o600)
		if name == "." {
			want = 0o700
		}
		same(t, "mode of "+name, got[os.FileInfo](t)(os.Stat(filepath.Join(home, name))).Mode().Perm(), want)
	}
	must(t, s.Close())
	must(t, os.Chmod(s.Path(), 0o644))
	openSQLite(t, home)
	same(t, "mode afterwards", got[os.FileInfo](t)(os.Stat(s.Path())).Mode().Perm(), os.FileMode(0o600))
}

func TestAnyPathWillDo(t *testing.T) {
	for _, name := range []string{"a b", "a?b=c", "a#b", "a%41b", "ü", "a&_txlock=x"} {
		t.Run(name, func(t *testing.T) {
			home := filepath.Join(t.TempDir(), name)
			s := openSQLite(t, home)
			claimed(t, s, "r")
			got[os.FileInfo](t)(os.Stat(filepath.Join(home, "store.db-wal")))
		})
	}
}

func TestOpenRefusesWhatIsNotAStore(t *testing.T) {
	for name, tc := range map[string]struct {
		make func(t *testing.T, path string)
		want error
	}{
		"a short text": {func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte("hello"), 0o600)) }, ErrDamaged},
		"a long text": {func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte(strings.Repeat("hello\n", 5000)), 0o600))
		}, ErrDamaged},
		"another's database":   {func(t *testing.T, path string) { edit(t, path, "CREATE TABLE songs (name)") }, ErrDamaged},
		"another's meta table": {func(t *testing.T, path string) { edit(t, path, "CREATE TABLE meta (schema INTEGER)") }, ErrDamaged},
		"a folder":             {func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o700)) }, ErrCantOpen},
		"a damaged store": {func(t *testing.T, path string) {
			s := openSQLite(t, filepath.Dir(path))
			must(t, s.Close())
			b := got[[]byte](t)(os.ReadFile(path))
			copy(b[100:], strings.Repeat("x", 4096))
			must(t, os.WriteFile(path, b, 0o600))
		}, ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			tc.make(t, path)
			before, _ := os.ReadFile(path)
			_, err := Open(t.Context(), path)
			wantErr(t, err, tc.want)
			if !strings.Contains(err.Error(), path) {
				t.Errorf("%q doesn't name the path", err)
			}
			after, _ := os.ReadFile(path)
			same(t, "content", string(after), string(before))
		})
	}
}

func TestOpenRefusesANewerSchemaNamingBoth(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	must(t, s.Close())
	edit(t, s.Path(), "UPDATE meta SET schema = 99")
	_, err := Open(t.Context(), s.Path())
	var newer *NewerError
	if !errors.As(err, &newer) || *newer != (NewerError{Path: s.Path(), Found: 99, Known: schemaVersion}) {
		t.Fatalf("error is %v", err)
	}
	for _, part := range []string{s.Path(), "99", fmt.Sprint(schemaVersion)} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q doesn't name %s", err, part)
		}
	}
}

// A process may have died between making the file and migrating it, at any point.
func TestOpenGoesOnWhereAnotherDied(t *testing.T) {
	for name, left := range map[string][]string{
		"an empty file":      nil,
		"a file in WAL mode": {"PRAGMA journal_mode = WAL"},
		"goose's table": {
			`CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL,
			is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')))`,
			"INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			path := filepath.Join(home, "store.db")
			must(t, os.WriteFile(path, nil, 0o600))
			edit(t, path, left...)
			claimed(t, openSQLite(t, home), "r")
		})
	}
	t.Run("no owner", func(t *testing.T) {
		home := t.TempDir()
		s := openSQLite(t, home)
		must(t, s.Close())
		edit(t, s.Path(), "UPDATE meta SET owner = ''")
		if openSQLite(t, home).Owner() == "" {
			t.Fatal("no owner")
		}
	})
}

func TestTheLastMigrationIsTheSchemaVersion(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	var schema, last int64
	must(t, s.read.QueryRowContext(t.Context(), `SELECT schema, (SELECT max(version_id) FROM goose_db_version) FROM meta`).
		Scan(&schema, &last))
	same(t, "meta.schema", schema, int64(schemaVersion))
	same(t, "last migration", last, int64(schemaVersion))
}

func TestAFullDiskIsAnErrorAndTheStoreGoesOnWhenThereIsRoomAgain(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	epoch := claimed(t, s, "r")
	got[int64](t)(s.Append(t.Context(), "r", epoch, texts(1)))
	limit := func(pages int) {
		must(t, s.do(t.Context(), func(tx *tx) error {
			var n int
			return tx.row(fmt.Sprintf("PRAGMA max_page_count = %d", pages)).Scan(&n)
		}))
	}
	limit(1)
	_, err := s.Append(t.Context(), "r", epoch, texts(2000))
	wantErr(t, err, ErrFull)
	if !strings.Contains(err.Error(), s.Path()) {
		t.Errorf("%q doesn't name the path", err)
	}
	same(t, "last", got[int64](t)(s.Append(t.Context(), "r", epoch, texts(1))), int64(2))
}

func TestAClosedStoreSaysSo(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	must(t, s.Close())
	must(t, s.Close())
	_, err := s.CreateRun(t.Context(), NewRun{ID: "r"})
	wantErr(t, err, ErrClosed)
	_, err = s.Run(t.Context(), "r")
	wantErr(t, err, ErrClosed)
	_, err = s.Runs(t.Context(), RunFilter{})
	wantErr(t, err, ErrClosed)
	_, err = s.DataVersion(t.Context())
	wantErr(t, err, ErrClosed)
}

// The database itself holds the two rules that matter most, whatever a later version's code forgets.
func TestTheSchemaRefusesARewrittenEndAndASecondLiveRun(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	epoch := claimed(t, s, "r")
	raw := func(stmt string) error {
		return s.do(t.Context(), func(tx *tx) error {
			_, err := tx.exec(stmt)
			return err
		})
	}
	second := `INSERT INTO runs (id, thread, status, created, key, hash_key, spec)
		SELECT 'r2', thread, 'pending', 0, '', x'', x'' FROM runs`
	if raw(second) == nil {
		t.Error("a second live run on a thread")
	}
	must(t, s.Finish(t.Context(), "r", epoch, nil, Outcome{Status: Completed}))
	if raw(`UPDATE runs SET message = 'x'`) == nil {
		t.Error("an end rewritten")
	}
	must(t, raw(second))
}
