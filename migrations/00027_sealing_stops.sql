-- +goose Up

-- That a process saw the trail contradict a checkpoint, and until when nothing
-- was sealed for it. Every process asks before it seals, also one that has seen
-- nothing itself; what is said of it stands in the trail.
CREATE TABLE sealing_stops (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    trouble    text NOT NULL CHECK (trouble IN ('seal.shorter', 'seal.different')),
    sealed     bigint NOT NULL,
    seen       bigint NOT NULL,
    seen_at    timestamptz NOT NULL,
    place      text NOT NULL, -- of the directory of checkpoints that contradicts; '' none, and somebody must say that sealing goes on
    stopped_at timestamptz NOT NULL,
    resumed_at timestamptz    -- null while it stands
);

-- One stands at a time: however many processes see it, it is told once.
CREATE UNIQUE INDEX sealing_stops_standing ON sealing_stops ((resumed_at IS NULL)) WHERE resumed_at IS NULL;

CREATE TRIGGER sealing_stops_kept BEFORE DELETE OR TRUNCATE ON sealing_stops
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE sealing_stops ENABLE ALWAYS TRIGGER sealing_stops_kept;
