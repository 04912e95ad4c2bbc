-- +goose NO TRANSACTION

-- +goose Up

-- See 00103. What a try left that was interrupted goes first.
DROP INDEX CONCURRENTLY IF EXISTS cancellations_changes;
CREATE INDEX CONCURRENTLY cancellations_changes ON cancellations (changed_era, changed_txid, id);
