-- +goose Up

-- What a process that seals cannot do, for those that only read: where veinte seal is a
-- process of its own, the pages and the metrics of the server say it.
CREATE TABLE sealer_troubles (
    place   text PRIMARY KEY,        -- host and directory
    trouble text NOT NULL CHECK (trouble = 'seal.directory'),
    since   timestamptz NOT NULL,
    seen_at timestamptz NOT NULL     -- told again while it lasts: a process that is gone is not believed for long
);
INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT', 'sealer_troubles'),
    ('sealer', 'SELECT, INSERT, UPDATE, DELETE', 'sealer_troubles');
