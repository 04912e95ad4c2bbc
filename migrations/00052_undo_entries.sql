-- +goose Up

-- The server's role may take back what was imported, reported by mistake or planned,
-- by functions only. Whoever had its password could call them and leave no entry: now
-- such a transaction is refused at its end unless it has written the entry that says so.
-- A row here is what an entry has to say; it is gone when the transaction is.
CREATE UNLOGGED TABLE undos (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    action        text NOT NULL,
    sale_id       bigint,
    serial_number text,
    after         jsonb,
    CHECK (num_nonnulls(sale_id, serial_number, after) = 1)
);
INSERT INTO database_rights (job, may, thing) VALUES ('server', '', 'undos');

-- +goose StatementBegin
CREATE FUNCTION keep_undo_in_trail() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM audit_entries e
        WHERE e.era = trail_era() AND e.txid = pg_current_xact_id() AND e.action = NEW.action AND e.outcome = 'success'
          AND (NEW.sale_id IS NULL OR e.sale_id = NEW.sale_id)
          AND (NEW.serial_number IS NULL OR e.serial_number = NEW.serial_number)
          AND (NEW.after IS NULL OR e.after @> NEW.after)
    ) THEN
        RAISE EXCEPTION '% without its entry in the trail', NEW.action USING ERRCODE = 'restrict_violation';
    END IF;
    DELETE FROM undos WHERE id = NEW.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION keep_undo_in_trail() FROM PUBLIC;

-- At the end, because the entry says how many there were.
CREATE CONSTRAINT TRIGGER undos_are_in_the_trail AFTER INSERT ON undos
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION keep_undo_in_trail();

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
    IF n > 0 THEN
        INSERT INTO undos (action, after) VALUES ('import.undone', jsonb_build_object('importId', batch, 'removed', n));
    END IF;
    RETURN n;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION undo_sale(taken bigint, at timestamptz) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    n bigint;
BEGIN
    PERFORM FROM sales WHERE id = taken FOR UPDATE;
    WITH gone AS (
        DELETE FROM sales s
        WHERE s.id = taken AND s.source IN ('api', 'hand') AND s.state = 'cancelable' AND NOT s.told_again
        RETURNING s.*)
    INSERT INTO undone_sales (sale_id, batch_id, undone_at, sale)
    SELECT gone.id, NULL, at, to_jsonb(gone) FROM gone;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n > 0 THEN
        INSERT INTO undos (action, sale_id) VALUES ('sale.undone', taken);
    END IF;
    RETURN n;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION undo_terminals(batch bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    n bigint;
    opened bigint;
BEGIN
    PERFORM FROM terminals WHERE import_id = batch ORDER BY id FOR UPDATE; -- no sale comes in between
    IF EXISTS (SELECT FROM terminals WHERE import_id = batch AND version <> 1)
       OR EXISTS (SELECT FROM stores WHERE import_id = batch AND version <> 1) THEN
        RAISE EXCEPTION 'terminals of import % have been changed', batch USING ERRCODE = 'foreign_key_violation';
    END IF;
    DELETE FROM assignments a USING terminals t WHERE t.id = a.terminal_id AND t.import_id = batch;
    DELETE FROM terminals WHERE import_id = batch;
    GET DIAGNOSTICS n = ROW_COUNT;
    DELETE FROM stores WHERE import_id = batch;
    GET DIAGNOSTICS opened = ROW_COUNT;
    IF n + opened > 0 THEN
        INSERT INTO undos (action, after) VALUES ('import.undone', jsonb_build_object('importId', batch, 'removed', n));
    END IF;
    RETURN n;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION withdraw_plan(plan bigint, now timestamptz) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    terminal bigint;
BEGIN
    DELETE FROM public.assignments WHERE id = plan AND planned_at IS NOT NULL AND valid_from > now AND valid_to IS NULL
        RETURNING terminal_id INTO terminal;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'assignment % is no plan that has not begun', plan USING ERRCODE = 'restrict_violation';
    END IF;
    INSERT INTO public.undos (action, serial_number)
    SELECT 'terminal.moveWithdrawn', serial_number FROM public.terminals WHERE id = terminal;
END $$;
-- +goose StatementEnd
