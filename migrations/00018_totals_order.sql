-- +goose Up

-- Taking sales from the sums locks their rows in the order in which adding sales
-- does, so that an undone import and the posts of its terminals cannot deadlock.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION take_sales_from_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM day_totals t
    WHERE (t.store_id, t.business_day, t.terminal_id) IN (SELECT DISTINCT store_id, business_day, terminal_id FROM removed)
    ORDER BY t.store_id, t.business_day, t.terminal_id FOR NO KEY UPDATE;
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
