-- +goose Up

-- One row per export of the trail: what is leaving, how far it is, how it ended.
-- The rows themselves go to whoever asked and are kept nowhere. What an export
-- was is in the trail, twice: before its first byte and at its end; this table is
-- for people who wait, and for those who want to stop one.
CREATE TABLE audit_exports (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    format      text NOT NULL CHECK (format IN ('csv', 'jsonl', 'xlsx')),
    state       text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'stopped', 'abandoned', 'failed')),
    actor_id    bigint NOT NULL,
    actor_name  text NOT NULL,
    query       text NOT NULL,                  -- the filters as the address has them, to look at them again
    filters     jsonb NOT NULL,                 -- the same as the trail tells them
    expected    bigint NOT NULL DEFAULT 0 CHECK (expected >= 0), -- entries, as estimated beforehand
    entries     bigint NOT NULL DEFAULT 0 CHECK (entries >= 0),  -- that have left so far
    bytes       bigint NOT NULL DEFAULT 0 CHECK (bytes >= 0),
    started_at  timestamptz NOT NULL,
    seen_at     timestamptz NOT NULL,           -- when its process last said that it is at it
    stop_by     text NOT NULL DEFAULT '',       -- who asked for it to stop
    ended_at    timestamptz,
    CHECK ((state = 'running') = (ended_at IS NULL))
);

CREATE INDEX audit_exports_list ON audit_exports (started_at DESC, id DESC);
CREATE INDEX audit_exports_of ON audit_exports (actor_id, started_at DESC, id DESC);
CREATE INDEX audit_exports_running ON audit_exports (seen_at) WHERE state = 'running';

-- An export that has ended has ended: neither a late word of its process nor
-- anybody else changes what came of it.
-- +goose StatementBegin
CREATE FUNCTION keep_ended_export() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'export % has ended', OLD.id USING ERRCODE = 'check_violation';
END $$;
-- +goose StatementEnd

CREATE TRIGGER audit_exports_ended BEFORE UPDATE ON audit_exports
    FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION keep_ended_export();
