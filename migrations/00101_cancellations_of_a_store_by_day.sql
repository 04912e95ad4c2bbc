-- +goose NO TRANSACTION

-- +goose Up

-- As cancellations_day, for the programs of a store or two.
DROP INDEX CONCURRENTLY IF EXISTS cancellations_store_day;
CREATE INDEX CONCURRENTLY cancellations_store_day ON cancellations (store_id, cutoff_at DESC, id DESC);
