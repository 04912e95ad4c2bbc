-- +goose Up

-- What a store has been called. A move in the trail has the store that it leads away from by
-- its name of then. The plan of this is made once for a connection, and not with each search,
-- which would take longer than the search.
-- +goose StatementBegin
CREATE FUNCTION store_names(store bigint) RETURNS text[] LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN ARRAY(SELECT name FROM stores WHERE id = store
        UNION ALL
        SELECT e.before->>'name' FROM audit_entries e WHERE e.store_id = store AND e.action = 'store.changed');
END $$;
-- +goose StatementEnd
