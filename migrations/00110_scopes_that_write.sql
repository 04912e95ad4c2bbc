-- +goose Up

-- stores:write makes and changes stores, terminals:write terminals.
ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes_check;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_scopes_check CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY[
    'sales:write', 'sales:read', 'cancellations:write', 'cancellations:read', 'stores:read', 'stores:write', 'terminals:write',
    'changes:read', 'audit:checkpoint', 'audit:read', 'audit:follow']);
