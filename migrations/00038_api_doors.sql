-- +goose Up

-- The headers that an operation set in its response, by name, such as Location: a repeat
-- of the request gets them too. The headers of a single request, such as its number, are
-- not among them.
ALTER TABLE api_answers ADD COLUMN headers jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(headers) = 'object');

-- Following the trail as it grows has a scope of its own, apart from proofs and
-- checkpoints: a witness need not read what people did. A key that could follow it
-- until now still can.
ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes_check;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_scopes_check CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY[
    'sales:write', 'sales:read', 'cancellations:write', 'cancellations:read', 'audit:read', 'audit:follow']);
UPDATE api_keys SET scopes = scopes || 'audit:follow'::text WHERE 'audit:read' = ANY (scopes);
