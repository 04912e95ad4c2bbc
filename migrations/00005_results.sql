-- +goose Up

-- What terminals posted, stored before anybody reads a meaning into it. Card
-- data beyond the last four digits and attempt ids were dropped on the way in.
CREATE TABLE results (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    received_at     timestamptz NOT NULL,
    address         text NOT NULL,
    body            text NOT NULL,      -- masked JSON, or '' when it was not JSON
    body_hash       text NOT NULL,      -- of the masked body: equal posts are duplicates
    kind            text NOT NULL CHECK (kind IN ('sale', 'cancellation', 'inquiry', 'abandoned', 'other', 'unreadable')),
    serial_number   text NOT NULL,
    merchant_id     text NOT NULL,
    order_id        text NOT NULL,
    folio           text NOT NULL,
    last4           text NOT NULL CHECK (last4 ~ '^[0-9]{0,4}$'),
    card_brand      text NOT NULL,
    auth_code       text NOT NULL,
    standing        text NOT NULL,      -- what an inquiry says of the sale
    amount          bigint,             -- centavos; null when there is none that can be read
    response_code   text NOT NULL,
    key_hash        text NOT NULL,      -- of the attempt id it carried; '' when it carried none
    -- What became of it. pending: stored, not interpreted yet.
    status          text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'applied', 'duplicate', 'ignored', 'unmatched', 'conflict')),
    note            text NOT NULL DEFAULT '', -- why, as a code
    sale_id         bigint REFERENCES sales,
    cancellation_id bigint REFERENCES cancellations,
    attempt_number  integer,
    interpreted_at  timestamptz
);

CREATE INDEX results_sale ON results (sale_id, id) WHERE sale_id IS NOT NULL;
CREATE INDEX results_hash ON results (body_hash);
CREATE INDEX results_pending ON results (id) WHERE status = 'pending';
CREATE INDEX results_attention ON results (id DESC) WHERE status IN ('unmatched', 'conflict');
CREATE INDEX results_unmatched_serial ON results (serial_number, id) WHERE status = 'unmatched';
CREATE INDEX results_list ON results (received_at DESC, id DESC);
