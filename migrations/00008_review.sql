-- +goose Up

-- When something contradicted a case, and when a supervisor had looked at it.
-- A later contradiction empties reviewed_at: it wants another look.
ALTER TABLE cancellations ADD COLUMN conflict_at timestamptz;
ALTER TABLE cancellations ADD COLUMN reviewed_at timestamptz;
-- When a person last asked for a verification: pressed ten times, it is put once.
ALTER TABLE cancellations ADD COLUMN asked_at timestamptz;
UPDATE cancellations SET conflict_at = changed_at WHERE conflict <> '';
ALTER TABLE cancellations ADD CHECK (conflict = '' OR conflict_at IS NOT NULL);

ALTER TABLE results ADD COLUMN reviewed_at timestamptz;

-- The supervisor's inbox: few rows out of very many.
CREATE INDEX cancellations_doubts ON cancellations (changed_at, id) WHERE state = 'unknown';
CREATE INDEX cancellations_conflicts ON cancellations (conflict_at, id) WHERE conflict <> '' AND reviewed_at IS NULL;
CREATE INDEX results_unreviewed ON results (received_at, id) WHERE status IN ('unmatched', 'conflict') AND reviewed_at IS NULL;

-- An administrator's word that nothing more is to be sent for now, and why.
CREATE TABLE pauses (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reason    text NOT NULL CHECK (reason <> '' AND length(reason) <= 300),
    paused_at timestamptz NOT NULL,
    paused_by text NOT NULL,
    ended_at  timestamptz, -- may lie before paused_at: two servers, two clocks
    ended_by  text NOT NULL DEFAULT ''
);

-- Paused twice at once is paused once.
CREATE UNIQUE INDEX pauses_one_open ON pauses ((true)) WHERE ended_at IS NULL;

-- What an administrator may change while the server runs. Every change is a new
-- row; the last one holds.
CREATE TABLE rules (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    set_at          timestamptz NOT NULL,
    set_by          text NOT NULL,
    -- A manager, who has the ticket in the hand, may settle a doubt of their store.
    managers_settle boolean NOT NULL
);

INSERT INTO rules (set_at, set_by, managers_settle) VALUES ('2026-01-01T06:00:00Z', 'Veinte', false);
