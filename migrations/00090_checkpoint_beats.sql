-- +goose Up

-- That nothing was added to the trail for an hour, signed: the same entries as the checkpoint
-- of that size, at a later time. An entry that is found behind it later and says that it is
-- older was dated back.
CREATE TABLE checkpoint_beats (
    sealed_at timestamptz PRIMARY KEY,
    size      bigint NOT NULL CHECK (size > 0),
    note      text NOT NULL CHECK (note <> '')
);
CREATE INDEX checkpoint_beats_size ON checkpoint_beats (size);
SELECT trail.guard('public.checkpoint_beats');
INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT', 'checkpoint_beats'),
    ('sealer', 'SELECT, INSERT', 'checkpoint_beats');
