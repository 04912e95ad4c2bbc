-- +goose Up

-- A file that somebody gave to be imported, and what became of it. It is looked
-- at first (a dry run), then imported as a whole by whoever confirms it, in one
-- transaction: what other tables hold of it is there altogether or not at all.
CREATE TABLE imports (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind         text NOT NULL CHECK (kind IN ('sales', 'terminals')),
    state        text NOT NULL CHECK (state IN (
        'checking',  -- being looked at
        'checked',   -- waits for somebody to confirm it
        'importing', -- confirmed, on its way
        'imported', 'discarded', 'undone')),
    version      integer NOT NULL DEFAULT 1,
    file_name    text NOT NULL CHECK (file_name <> '' AND length(file_name) <= 200),
    file_size    bigint NOT NULL CHECK (file_size > 0),
    file_hash    bytea NOT NULL CHECK (length(file_hash) = 32), -- SHA-256
    notes        jsonb NOT NULL, -- what to know of the file
    row_count    integer NOT NULL CHECK (row_count > 0),
    done_count   integer NOT NULL DEFAULT 0, -- of the pass under way
    -- What the rows are, or were when they were imported.
    new_count      integer NOT NULL DEFAULT 0,
    known_count    integer NOT NULL DEFAULT 0,
    conflict_count integer NOT NULL DEFAULT 0,
    refused_count  integer NOT NULL DEFAULT 0,
    warned_count   integer NOT NULL DEFAULT 0,
    partial      boolean NOT NULL DEFAULT false, -- only the right rows were asked for
    held_back    boolean NOT NULL DEFAULT false, -- it was confirmed, and then a row was wrong after all
    actor        jsonb NOT NULL, -- who gave it, then who confirmed it: in whose name it is carried out
    given_by     text NOT NULL CHECK (given_by <> ''),
    confirmed_by text NOT NULL DEFAULT '',
    created_at   timestamptz NOT NULL,
    changed_at   timestamptz NOT NULL,
    -- When somebody last worked on it. A pass whose process died is taken up again.
    beat_at      timestamptz NOT NULL
);

CREATE INDEX imports_list ON imports (created_at DESC, id DESC);
CREATE INDEX imports_hash ON imports (file_hash);
CREATE INDEX imports_unfinished ON imports (beat_at) WHERE state IN ('checking', 'checked', 'importing');

-- The rows of a file as they were understood, some hundreds in each, as JSON.
-- Columns that nobody reads, and card numbers, never come here. They are taken
-- away once the import is done, or a day after the file came.
CREATE TABLE import_chunks (
    import_id bigint NOT NULL REFERENCES imports,
    seq       integer NOT NULL,
    row_count integer NOT NULL,
    body      bytea NOT NULL,
    PRIMARY KEY (import_id, seq)
);

-- The rows with something to say of them: why they are wrong, what to look at.
-- They outlive the import by a day, so that they can be mended and given again.
CREATE TABLE import_remarks (
    import_id bigint NOT NULL REFERENCES imports,
    seq       integer NOT NULL,
    body      bytea NOT NULL,
    PRIMARY KEY (import_id, seq)
);

-- JSON of this size would be packed on its way in; time matters more here.
ALTER TABLE import_chunks ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE import_remarks ALTER COLUMN body SET STORAGE EXTERNAL;
