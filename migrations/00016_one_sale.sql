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

-- What identifies a sale never changes. What it was worth does once: a sale that
-- a program, a file or a person told is corrected by its terminal's own post, as
-- long as nobody has ever asked to cancel it.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refuse_changed_sale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.store_id, NEW.terminal_id, NEW.serial_number, NEW.merchant_id, NEW.order_id, NEW.business_day, NEW.sold_at)
       IS DISTINCT FROM
       (OLD.store_id, OLD.terminal_id, OLD.serial_number, OLD.merchant_id, OLD.order_id, OLD.business_day, OLD.sold_at) THEN
        RAISE EXCEPTION 'a sale cannot be rewritten' USING ERRCODE = 'restrict_violation';
    END IF;
    IF (NEW.amount, NEW.source) IS DISTINCT FROM (OLD.amount, OLD.source)
       AND (OLD.source = 'terminal' OR NEW.source <> 'terminal' OR OLD.state <> 'cancelable' OR NEW.state <> 'cancelable'
            OR EXISTS (SELECT FROM cancellations WHERE sale_id = OLD.id)) THEN
        RAISE EXCEPTION 'a sale is corrected by its terminal only, before anybody cancels it' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.state = 'confirmed' AND NEW.state <> 'confirmed' THEN
        RAISE EXCEPTION 'confirmed is final' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- The sums follow a corrected amount; a sale that is told again changes none.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION move_sales_in_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE day_totals t SET
        amount = t.amount + d.amount,
        canceled = t.canceled + d.canceled,
        canceled_amount = t.canceled_amount + d.canceled_amount,
        open_cases = t.open_cases + d.open_cases,
        revision = t.revision + 1
    FROM (
        SELECT n.store_id, n.business_day, n.terminal_id,
               sum(n.amount - o.amount) AS amount,
               sum((n.state = 'confirmed')::int - (o.state = 'confirmed')::int) AS canceled,
               sum(n.amount * ((n.state = 'confirmed')::int - (o.state = 'confirmed')::int)) AS canceled_amount,
               sum((n.state IN ('requested', 'sending', 'accepted', 'unknown'))::int
                 - (o.state IN ('requested', 'sending', 'accepted', 'unknown'))::int) AS open_cases
        FROM after_change n JOIN before_change o USING (id)
        WHERE NOT (n.told_again AND NOT o.told_again)
        GROUP BY n.store_id, n.business_day, n.terminal_id
    ) d
    WHERE (t.store_id, t.business_day, t.terminal_id) = (d.store_id, d.business_day, d.terminal_id);
    RETURN NULL;
END $$;
-- +goose StatementEnd
