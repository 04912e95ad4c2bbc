-- +goose Up

-- Through which door a sale came, and who brought it. The service has no list of
-- sales: where terminals do not post, programs, files and people tell of them.
ALTER TABLE sales ADD COLUMN source text NOT NULL DEFAULT 'terminal'
    CHECK (source IN ('terminal', 'api', 'import', 'hand'));
ALTER TABLE sales ADD COLUMN recorded_by text NOT NULL DEFAULT ''; -- the key, person or operator; '' for a terminal
ALTER TABLE sales ADD COLUMN reference text NOT NULL DEFAULT '' CHECK (length(reference) <= 80); -- the merchant's own
ALTER TABLE sales ADD COLUMN batch_id bigint CHECK (batch_id IS NULL OR source = 'import');

CREATE INDEX sales_batch ON sales (batch_id) WHERE batch_id IS NOT NULL;

-- What an undone import had brought, as it was. The list forgets it; we do not.
CREATE TABLE undone_sales (
    sale_id   bigint PRIMARY KEY,
    batch_id  bigint NOT NULL,
    undone_at timestamptz NOT NULL,
    sale      jsonb NOT NULL
);

CREATE INDEX undone_sales_batch ON undone_sales (batch_id);

-- +goose StatementBegin
CREATE FUNCTION take_sales_from_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE day_totals t SET
        sales = t.sales - d.sales,
        amount = t.amount - d.amount,
        revision = t.revision + 1
    FROM (
        SELECT store_id, business_day, terminal_id, count(*) AS sales, sum(amount) AS amount
        FROM removed GROUP BY store_id, business_day, terminal_id
    ) d
    WHERE (t.store_id, t.business_day, t.terminal_id) = (d.store_id, d.business_day, d.terminal_id);
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER sales_removed AFTER DELETE ON sales
    REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION take_sales_from_totals();

-- The one way in which a sale disappears: the application may not delete, and
-- this takes whole imports only, of which nothing depends. A case or a result
-- that refers to one of the sales refuses it, as does a state that only a case
-- can have given.
-- +goose StatementBegin
CREATE FUNCTION undo_sales(batch bigint, at timestamptz) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    n bigint;
BEGIN
    IF EXISTS (SELECT FROM sales WHERE batch_id = batch AND state <> 'cancelable') THEN
        RAISE EXCEPTION 'sales of import % are in use', batch USING ERRCODE = 'foreign_key_violation';
    END IF;
    WITH gone AS (DELETE FROM sales s WHERE s.batch_id = batch RETURNING s.*)
    INSERT INTO undone_sales (sale_id, batch_id, undone_at, sale)
    SELECT gone.id, batch, at, to_jsonb(gone) FROM gone;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;
-- +goose StatementEnd

-- Every open page is told when its store's day changed: one question for all of
-- them, a few times a second. The index holds nothing that changes with a sale.
CREATE INDEX day_totals_day ON day_totals (business_day);
