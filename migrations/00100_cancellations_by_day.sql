-- +goose NO TRANSACTION

-- +goose Up

-- Cancellations by the day of their sale: a cut-off is an instant of that day, never
-- midnight, and never changes. What a try left that was interrupted goes first.
DROP INDEX CONCURRENTLY IF EXISTS cancellations_day;
CREATE INDEX CONCURRENTLY cancellations_day ON cancellations (cutoff_at DESC, id DESC);
