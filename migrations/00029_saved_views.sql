-- +goose Up

-- Filters are kept under a name for the list of sales too: one table, because
-- they are one thing with one owner and one limit, told apart by their list.
ALTER TABLE audit_views RENAME TO saved_views;
ALTER TABLE saved_views ADD COLUMN list text NOT NULL DEFAULT 'audit' CHECK (list IN ('audit', 'sales'));
ALTER TABLE saved_views ALTER COLUMN list DROP DEFAULT;

-- A name is taken in its own list only.
DROP INDEX audit_views_name;
DROP INDEX audit_views_shared;
CREATE UNIQUE INDEX saved_views_name ON saved_views (owner_id, list, lower(name));
CREATE INDEX saved_views_shared ON saved_views (list, lower(name), id) WHERE shared;
