-- +goose Up

-- stores:read lists stores and terminals, changes:read follows what changes.
ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes_check;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_scopes_check CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY[
    'sales:write', 'sales:read', 'cancellations:write', 'cancellations:read', 'stores:read', 'changes:read',
    'audit:checkpoint', 'audit:read', 'audit:follow']);
