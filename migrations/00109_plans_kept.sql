-- +goose Up

-- A function in SQL that sets search_path is planned at each call; one in PL/pgSQL once in a
-- session. A click asks for the era some ten times.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION trail_era() RETURNS integer LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT pg_get_expr(d.adbin, d.adrelid)::integer
        FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
        WHERE d.adrelid = 'public.audit_entries'::regclass AND a.attname = 'era');
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION teller_of(s sales) RETURNS text LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
    IF s.source = 'hand' THEN
        RETURN (SELECT 'u' || e.actor_id FROM audit_entries e
            WHERE e.sale_id = s.id AND e.action = 'sales.recorded' AND e.outcome = 'success' AND e.actor_id IS NOT NULL
            ORDER BY e.at, e.id LIMIT 1);
    ELSIF s.source = 'import' THEN
        RETURN (SELECT 'u' || (i.actor ->> 'UserID') FROM imports i WHERE i.id = s.batch_id AND i.actor ->> 'UserID' ~ '^[1-9]');
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
