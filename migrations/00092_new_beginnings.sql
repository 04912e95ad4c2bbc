-- +goose Up

-- After entries were lost, or the trail became another one, and somebody has said that it
-- goes on so, it is sealed under an origin of its own: the checkpoints of before vouch for
-- what is not there any more, and nobody may take both for one past. beginning is the number
-- that the origin has once the stop is over; what was stopped before today keeps its origin.
ALTER TABLE sealing_stops ADD beginning integer NOT NULL DEFAULT 1 CHECK (beginning BETWEEN 1 AND 9999);
