-- +goose Up
-- When somebody took back an answer that was given for more than its request, and who; 0: it counts on.
ALTER TABLE approvals ADD COLUMN withdrawn INTEGER NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN withdrawn_by TEXT NOT NULL DEFAULT '';
UPDATE meta SET schema = 3;
