-- +goose Up

-- The sales told of one order of one terminal, for whoever is about to tell one
-- more: until the transaction ends nobody else is. The terminal and its order
-- number name one charge, whatever merchant id it is told under. The function is
-- volatile, so that it looks after it has waited.
-- +goose StatementBegin
CREATE FUNCTION sales_of_order(serial text, told_order text) RETURNS SETOF sales LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(order_lock(serial, told_order));
    RETURN QUERY SELECT * FROM sales s WHERE s.order_id = told_order AND s.serial_number = serial ORDER BY s.id;
END $$;
-- +goose StatementEnd

CREATE FUNCTION order_lock(serial text, told_order text) RETURNS bigint LANGUAGE sql IMMUTABLE
    RETURN hashtextextended(serial || ' ' || told_order, 16);

-- Whether a sale that an import brought was told by another door or another
-- import too: somebody else was answered that it is known, so undoing the import
-- must not take it away.
ALTER TABLE sales ADD COLUMN told_again boolean NOT NULL DEFAULT false CHECK (NOT told_again OR source = 'import');

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION undo_sales(batch bigint, at timestamptz) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    n bigint;
BEGIN
    -- Whoever is telling one of them again is waited for, and seen.
    PERFORM FROM sales WHERE batch_id = batch ORDER BY id FOR UPDATE;
    IF EXISTS (SELECT FROM sales WHERE batch_id = batch AND (state <> 'cancelable' OR told_again)) THEN
        RAISE EXCEPTION 'sales of import % are in use', batch USING ERRCODE = 'foreign_key_violation';
    END IF;
    WITH gone AS (DELETE FROM sales s WHERE s.batch_id = batch RETURNING s.*)
    INSERT INTO undone_sales (sale_id, batch_id, undone_at, sale)
    SELECT gone.id, batch, at, to_jsonb(gone) FROM gone;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;
-- +goose StatementEnd
