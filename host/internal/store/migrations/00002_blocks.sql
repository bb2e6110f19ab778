-- +goose Up
-- A row holds so many events, one a line of its payload; seq, journal and hash are the last one's.
ALTER TABLE events ADD COLUMN held INTEGER NOT NULL DEFAULT 1 CHECK (held > 0);
UPDATE meta SET schema = 2;
