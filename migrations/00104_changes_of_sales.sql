-- +goose NO TRANSACTION

-- +goose Up

-- See 00103. What a try left that was interrupted goes first.
DROP INDEX CONCURRENTLY IF EXISTS sales_changes;
CREATE INDEX CONCURRENTLY sales_changes ON sales (changed_era, changed_txid, id);
