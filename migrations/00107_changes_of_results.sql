-- +goose NO TRANSACTION

-- +goose Up

-- See 00103. What a try left that was interrupted goes first.
DROP INDEX CONCURRENTLY IF EXISTS results_changes;
CREATE INDEX CONCURRENTLY results_changes ON results (changed_era, changed_txid, id);
