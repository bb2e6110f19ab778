package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// schemaVersion is the number of the last migration in migrations/, which also writes it to meta.schema.
const schemaVersion = 2

// migrate brings the file to the last migration of files, whose number is version. A file that is there already costs
// one query.
func migrate(ctx context.Context, path string, db *sql.DB, files fs.FS, version int64) error {
	found, err := schemaOf(ctx, path, db, version)
	if err != nil || found == version {
		return err
	}
	unlock, err := lockMigration(ctx, path)
	if err != nil {
		return err
	}
	defer unlock()
	// Another process may have done the work while this one waited.
	if found, err = schemaOf(ctx, path, db, version); err != nil || found == version {
		return err
	}
	// Outside any transaction, and here only: two processes that switch the mode at once get BUSY without waiting.
	var mode string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return fileFault(path, err)
	}
	if mode != "wal" {
		return fmt.Errorf("store %s: %w: its file system has no shared memory (journal mode %s)", path, ErrCantOpen, mode)
	}
	return up(ctx, path, files)
}

func up(ctx context.Context, path string, migrations fs.FS) error {
	// goose takes a connection and then a transaction, so it can't use the writer's handle with its one connection.
	db, err := sql.Open("sqlite", immediate(dsn(path, "synchronous(FULL)")))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("load migrations: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", fileFault(path, err))
	}
	return nil
}

// schemaOf reads the file's schema version, 0 for an empty file. A newer one, or an SQLite file of some other program,
// is an error.
func schemaOf(ctx context.Context, path string, db *sql.DB, known int64) (int64, error) {
	var ours, others bool
	err := db.QueryRowContext(ctx, `SELECT
		EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'meta'),
		EXISTS (SELECT 1 FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%')`).
		Scan(&ours, &others)
	if err != nil {
		return 0, fileFault(path, err)
	}
	if !ours {
		if others {
			return 0, fmt.Errorf("store %s: %w: tables of another program", path, ErrDamaged)
		}
		return 0, nil
	}
	var found int64
	if err := db.QueryRowContext(ctx, `SELECT schema FROM meta WHERE id = 1`).Scan(&found); err != nil {
		return 0, fmt.Errorf("read schema version: %w: %w", ErrDamaged, fileFault(path, err))
	}
	if found > known {
		return 0, &NewerError{Path: path, Found: found, Known: known}
	}
	return found, nil
}

// lockMigration keeps other processes from migrating the same file. goose has no lock for SQLite, and a transaction
// on the file itself would block goose too; an exclusive transaction on an empty database beside it is a lock that
// every system SQLite runs on gives, and that ends with its process.
func lockMigration(ctx context.Context, path string) (unlock func(), err error) {
	lock := path + ".lock"
	if err := makeFile(lock); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn(lock))
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(fileFault(lock, err), db.Close())
	}
	if _, err := conn.ExecContext(ctx, "BEGIN EXCLUSIVE"); err != nil {
		return nil, errors.Join(fileFault(lock, err), conn.Close(), db.Close())
	}
	return func() {
		_ = conn.Close()
		_ = db.Close()
	}, nil
}
