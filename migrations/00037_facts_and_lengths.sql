-- +goose Up

-- The service says nothing of how long an order number or a merchant id (its storeId)
-- may be, nor of which characters it consists. Both are taken whole, up to 250
-- characters. Rows of today satisfy the narrower checks before: none is read again.
ALTER TABLE sales DROP CONSTRAINT sales_order_id_check;
ALTER TABLE sales ADD CONSTRAINT sales_order_id_check CHECK (order_id <> '' AND length(order_id) <= 250) NOT VALID;
ALTER TABLE sales ADD CONSTRAINT sales_merchant_id_length CHECK (length(merchant_id) <= 250) NOT VALID;
ALTER TABLE assignments DROP CONSTRAINT assignments_merchant_id_check;
ALTER TABLE assignments ADD CONSTRAINT assignments_merchant_id_check
    CHECK (merchant_id <> '' AND length(merchant_id) <= 250) NOT VALID;

-- What a door said of a sale that another door had told before: the facts that the
-- sale lacked and now has from it, and those in which it contradicts the sale. Facts
-- of the sale without a row are from the door that told it first (sales.source). One
-- row per door and fact, the first thing that it said.
CREATE TABLE sale_facts (
    sale_id     bigint NOT NULL REFERENCES sales ON DELETE CASCADE,
    fact        text NOT NULL CHECK (fact IN ('last4', 'cardBrand', 'authCode', 'folio', 'reference')),
    source      text NOT NULL CHECK (source IN ('terminal', 'api', 'import', 'hand')),
    recorded_by text NOT NULL, -- the key, person or operator; '' for a terminal
    value       text NOT NULL CHECK (value <> '' AND length(value) <= 80), -- as it was told
    filled      boolean NOT NULL, -- the sale lacked it and has it from here; else the sale has another value
    told_at     timestamptz NOT NULL,
    PRIMARY KEY (sale_id, fact, source)
);
