-- +goose Up

-- A witness sees how long the trail is and its root, and no entry: a scope of its own.
-- A key that reads the trail sees checkpoints as before.
ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes_check;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_scopes_check CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY[
    'sales:write', 'sales:read', 'cancellations:write', 'cancellations:read', 'audit:checkpoint', 'audit:read', 'audit:follow']);
