-- +goose NO TRANSACTION

-- +goose Up

-- See 00103. What a try left that was interrupted goes first.
DROP INDEX CONCURRENTLY IF EXISTS undone_sales_changes;
CREATE INDEX CONCURRENTLY undone_sales_changes ON undone_sales (changed_era, changed_txid, sale_id);
