-- +goose Up

-- One row per verification of the trail that somebody asked for: how far it is,
-- and what it came to. That it was asked for, and what came of it, is in the
-- trail; this table is for people who wait, and for the history of a page.
CREATE TABLE trail_checks (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state      text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'intact', 'altered', 'undecided', 'interrupted', 'failed')),
    actor      jsonb NOT NULL,                  -- in whose name it is done
    actor_id   bigint NOT NULL,
    actor_name text NOT NULL,
    started_at timestamptz NOT NULL,
    begun_at   timestamptz,                     -- a process took it up; it does so once
    seen_at    timestamptz NOT NULL,            -- when that process last said that it is at it
    ended_at   timestamptz,
    done       bigint NOT NULL DEFAULT 0 CHECK (done >= 0),  -- entries looked at so far
    total      bigint NOT NULL DEFAULT 0 CHECK (total >= 0), -- of how many; 0 before it is known
    result     jsonb,
    CHECK ((state = 'running') = (ended_at IS NULL)),
    CHECK ((state IN ('intact', 'altered', 'undecided')) = (result IS NOT NULL))
);

CREATE INDEX trail_checks_list ON trail_checks (started_at DESC, id DESC);
-- One at a time, whichever process does it: it reads everything there is.
CREATE UNIQUE INDEX trail_checks_one ON trail_checks ((true)) WHERE state = 'running';

-- What came of a verification is not rewritten by a late word of its process.
-- +goose StatementBegin
CREATE FUNCTION keep_ended_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'verification % has ended', OLD.id USING ERRCODE = 'check_violation';
END $$;
-- +goose StatementEnd

CREATE TRIGGER trail_checks_ended BEFORE UPDATE ON trail_checks
    FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION keep_ended_check();
