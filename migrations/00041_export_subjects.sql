-- +goose Up

-- What an export is of: the trail, or sales. Exports of sales are rows beside those of
-- the trail: shown on the same page and bound by the same limits. An export of a server
-- that does not know this is of the trail.
ALTER TABLE audit_exports ADD COLUMN subject text NOT NULL DEFAULT 'trail' CHECK (subject IN ('trail', 'sales'));
