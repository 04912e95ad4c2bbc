-- +goose NO TRANSACTION

-- +goose Up

-- A person gets the checkpoint of a day once. What a try left that was interrupted goes first.
DROP INDEX CONCURRENTLY IF EXISTS mails_of_checkpoints;
CREATE UNIQUE INDEX CONCURRENTLY mails_of_checkpoints ON mails (checkpoint_day, recipient) WHERE checkpoint_day IS NOT NULL;
