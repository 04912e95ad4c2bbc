-- +goose Up

-- A database that came past 00035 before that file did this has the function with a parsed
-- body still, and the next column of sales would be refused.
CREATE OR REPLACE FUNCTION teller_of(s sales) RETURNS text LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    SELECT CASE s.source
        WHEN 'hand' THEN (SELECT 'u' || e.actor_id FROM audit_entries e
            WHERE e.sale_id = s.id AND e.action = 'sales.recorded' AND e.outcome = 'success' AND e.actor_id IS NOT NULL
            ORDER BY e.at, e.id LIMIT 1)
        WHEN 'import' THEN (SELECT 'u' || (i.actor ->> 'UserID') FROM imports i WHERE i.id = s.batch_id AND i.actor ->> 'UserID' ~ '^[1-9]')
    END
$$;
