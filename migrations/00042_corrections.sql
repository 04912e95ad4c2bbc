-- +goose Up

-- A sale that a program or a person reported can be corrected, or taken back, by the
-- same door while nobody else has reported it and nobody has asked to cancel it. A
-- wrong amount would otherwise stay until the terminal posts, if it ever does.
--
-- undone_sales holds those that were taken back too; batch_id is NULL for them.
ALTER TABLE undone_sales ALTER COLUMN batch_id DROP NOT NULL;

-- told_again says of any sale but a terminal's own that another door or import reported
-- it too. It was kept for sales of imports only, for which nothing changes.
ALTER TABLE sales DROP CONSTRAINT sales_check1;
ALTER TABLE sales ADD CONSTRAINT sales_told_again_check CHECK (NOT told_again OR source <> 'terminal') NOT VALID;

-- What identifies a sale never changes, nor does its time. Its amount may change before
-- anybody ever asked to cancel it: by its terminal's own post, or by the door that
-- reported it.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refuse_changed_sale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.store_id, NEW.terminal_id, NEW.serial_number, NEW.merchant_id, NEW.order_id, NEW.business_day, NEW.sold_at)
       IS DISTINCT FROM
       (OLD.store_id, OLD.terminal_id, OLD.serial_number, OLD.merchant_id, OLD.order_id, OLD.business_day, OLD.sold_at) THEN
        RAISE EXCEPTION 'a sale cannot be rewritten' USING ERRCODE = 'restrict_violation';
    END IF;
    IF (NEW.amount, NEW.source) IS DISTINCT FROM (OLD.amount, OLD.source)
       AND (OLD.source = 'terminal' OR NEW.source NOT IN ('terminal', OLD.source)
            OR OLD.state <> 'cancelable' OR NEW.state <> 'cancelable'
            OR EXISTS (SELECT FROM cancellations WHERE sale_id = OLD.id)) THEN
        RAISE EXCEPTION 'a sale is corrected by its terminal or its own door, before anybody cancels it'
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.state = 'confirmed' AND NEW.state <> 'confirmed' THEN
        RAISE EXCEPTION 'confirmed is final' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- The second way in which a sale disappears; the application may not delete. It takes
-- one sale that a program or a person reported, of which nothing depends: a
-- cancellation or a result that refers to it refuses it, as does another door that
-- reported it too.
-- +goose StatementBegin
CREATE FUNCTION undo_sale(taken bigint, at timestamptz) RETURNS bigint
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
    RETURN n;
END $$;
-- +goose StatementEnd

-- A sale is found by the merchant's own reference.
CREATE INDEX sales_reference ON sales (reference, sold_at DESC, id DESC) WHERE reference <> '';
