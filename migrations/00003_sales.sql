-- +goose Up

-- A card sale as its terminal or another door told it.
--
-- state repeats the state of the sale's latest case so that the list is one
-- index scan; it changes only in the transaction that moves the case.
CREATE TABLE sales (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    store_id      bigint NOT NULL REFERENCES stores,
    terminal_id   bigint NOT NULL REFERENCES terminals,
    serial_number text NOT NULL CHECK (serial_number ~ '^[0-9]{10}$'),
    merchant_id   text NOT NULL CHECK (merchant_id <> ''),
    order_id      text NOT NULL CHECK (order_id <> '' AND length(order_id) <= 80),
    amount        bigint NOT NULL CHECK (amount > 0), -- centavos
    currency      text NOT NULL CHECK (currency = 'MXN'),
    sold_at       timestamptz NOT NULL,
    received_at   timestamptz NOT NULL,
    business_day  date NOT NULL, -- the calendar day of sold_at in the cut-off's zone
    cutoff_at     timestamptz NOT NULL,
    last4         text NOT NULL CHECK (last4 ~ '^[0-9]{0,4}$'),
    card_brand    text NOT NULL CHECK (length(card_brand) <= 20),
    auth_code     text NOT NULL CHECK (length(auth_code) <= 20),
    folio         text NOT NULL CHECK (length(folio) <= 80),
    state         text NOT NULL DEFAULT 'cancelable' CHECK (state IN (
        'cancelable', 'requested', 'sending', 'accepted', 'confirmed',
        'rejected', 'unknown', 'notCanceled', 'expired')),
    -- Terminals post again what was not answered; the same order is one sale.
    CONSTRAINT sales_identity UNIQUE (serial_number, merchant_id, order_id)
);

-- Today's list: newest first, by store, and for people who see every store.
CREATE INDEX sales_store_day ON sales (store_id, business_day, sold_at DESC, id DESC);
CREATE INDEX sales_day ON sales (business_day, sold_at DESC, id DESC);
-- Results are matched by order, or by folio where the order is missing.
CREATE INDEX sales_order ON sales (order_id text_pattern_ops);
CREATE INDEX sales_folio ON sales (serial_number, folio) WHERE folio <> '';
CREATE INDEX sales_terminal ON sales (terminal_id, sold_at DESC);

-- The sums of a store's day by terminal. The list shows them on every view, and
-- adding up two thousand rows each time costs two thirds of the throughput.
-- revision counts every change of the day, so an unchanged page is recognised
-- without reading it.
CREATE TABLE day_totals (
    store_id        bigint NOT NULL,
    business_day    date NOT NULL,
    terminal_id     bigint NOT NULL,
    sales           bigint NOT NULL,
    amount          bigint NOT NULL,
    canceled        bigint NOT NULL,
    canceled_amount bigint NOT NULL,
    open_cases      bigint NOT NULL,
    revision        bigint NOT NULL,
    last_received   timestamptz NOT NULL,
    PRIMARY KEY (store_id, business_day, terminal_id)
);

-- +goose StatementBegin
CREATE FUNCTION add_sales_to_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Rows are locked in one order, so that two batches cannot deadlock.
    INSERT INTO day_totals AS t
    SELECT store_id, business_day, terminal_id, count(*), sum(amount),
           count(*) FILTER (WHERE state = 'confirmed'),
           coalesce(sum(amount) FILTER (WHERE state = 'confirmed'), 0),
           count(*) FILTER (WHERE state IN ('requested', 'sending', 'accepted', 'unknown')),
           1, max(received_at)
    FROM added GROUP BY store_id, business_day, terminal_id
    ORDER BY store_id, business_day, terminal_id
    ON CONFLICT (store_id, business_day, terminal_id) DO UPDATE SET
        sales = t.sales + excluded.sales,
        amount = t.amount + excluded.amount,
        canceled = t.canceled + excluded.canceled,
        canceled_amount = t.canceled_amount + excluded.canceled_amount,
        open_cases = t.open_cases + excluded.open_cases,
        revision = t.revision + 1,
        last_received = greatest(t.last_received, excluded.last_received);
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER sales_added AFTER INSERT ON sales
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION add_sales_to_totals();

-- +goose StatementBegin
CREATE FUNCTION move_sales_in_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE day_totals t SET
        canceled = t.canceled + d.canceled,
        canceled_amount = t.canceled_amount + d.canceled_amount,
        open_cases = t.open_cases + d.open_cases,
        revision = t.revision + 1
    FROM (
        SELECT n.store_id, n.business_day, n.terminal_id,
               sum((n.state = 'confirmed')::int - (o.state = 'confirmed')::int) AS canceled,
               sum(n.amount * ((n.state = 'confirmed')::int - (o.state = 'confirmed')::int)) AS canceled_amount,
               sum((n.state IN ('requested', 'sending', 'accepted', 'unknown'))::int
                 - (o.state IN ('requested', 'sending', 'accepted', 'unknown'))::int) AS open_cases
        FROM after_change n JOIN before_change o USING (id)
        GROUP BY n.store_id, n.business_day, n.terminal_id
    ) d
    WHERE (t.store_id, t.business_day, t.terminal_id) = (d.store_id, d.business_day, d.terminal_id);
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER sales_changed AFTER UPDATE ON sales
    REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change
    FOR EACH STATEMENT EXECUTE FUNCTION move_sales_in_totals();

-- What identifies a sale and what it was worth never changes; only its state
-- does, and what a later post adds. Moving a sale to another store or day would
-- also break the sums above.
-- +goose StatementBegin
CREATE FUNCTION refuse_changed_sale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.store_id, NEW.terminal_id, NEW.serial_number, NEW.merchant_id, NEW.order_id, NEW.amount, NEW.business_day, NEW.sold_at)
       IS DISTINCT FROM
       (OLD.store_id, OLD.terminal_id, OLD.serial_number, OLD.merchant_id, OLD.order_id, OLD.amount, OLD.business_day, OLD.sold_at) THEN
        RAISE EXCEPTION 'a sale cannot be rewritten' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.state = 'confirmed' AND NEW.state <> 'confirmed' THEN
        RAISE EXCEPTION 'confirmed is final' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

CREATE TRIGGER sales_identity_kept BEFORE UPDATE ON sales
    FOR EACH ROW EXECUTE FUNCTION refuse_changed_sale();
