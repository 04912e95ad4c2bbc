-- +goose Up

-- What this database is for: real sales, practice against a stand-in of the
-- service, or the demo. It is written at the first start and is never another,
-- so that what was practised and what is real are never in one trail.
CREATE TABLE installation (
    one       boolean PRIMARY KEY DEFAULT true CHECK (one), -- a single row
    kind      text NOT NULL CHECK (kind IN ('real', 'practice', 'demo')),
    marked_at timestamptz NOT NULL
);
