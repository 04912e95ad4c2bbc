-- +goose Up

-- How a payment provider writes its daily report: which column holds what, and
-- what its words mean. An administrator keeps it.
CREATE TABLE report_profiles (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text NOT NULL CHECK (name <> '' AND length(name) <= 80),
    mapping    jsonb NOT NULL,
    version    integer NOT NULL DEFAULT 1,
    retired_at timestamptz,
    created_at timestamptz NOT NULL
);

CREATE UNIQUE INDEX report_profiles_name ON report_profiles (lower(name));

-- Every version stays: a report is read again in years as it was read then.
CREATE TABLE report_profile_versions (
    profile_id bigint NOT NULL REFERENCES report_profiles,
    version    integer NOT NULL,
    name       text NOT NULL,
    mapping    jsonb NOT NULL,
    set_at     timestamptz NOT NULL,
    set_by     text NOT NULL,
    PRIMARY KEY (profile_id, version)
);

-- One report of one day, compared with our sales. A later one of the same day
-- and profile stands beside it; nothing is replaced.
CREATE TABLE reconciliations (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    profile_id      bigint NOT NULL,
    profile_version integer NOT NULL,
    profile_name    text NOT NULL,
    business_day    date NOT NULL,
    -- What happened before this instant is in the report, by the word of whoever
    -- uploaded it. What a report does not hold proves nothing after it.
    complete_until  timestamptz NOT NULL,
    stores          bigint[],          -- for which it was compared; null: for all
    file_name       text NOT NULL CHECK (length(file_name) <= 200),
    file_hash       text NOT NULL CHECK (file_hash ~ '^[0-9a-f]{64}$'),
    file_bytes      bigint NOT NULL,
    rows            integer NOT NULL,
    other_day_rows  integer NOT NULL,  -- that say another day than the report's
    sales_looked_at boolean NOT NULL,  -- also for sales of ours that are not in it
    uploaded_at     timestamptz NOT NULL,
    uploaded_by     bigint NOT NULL,
    uploader        text NOT NULL,
    applied_at      timestamptz,       -- when doubts were last settled by it
    applied_by      text NOT NULL DEFAULT '',
    FOREIGN KEY (profile_id, profile_version) REFERENCES report_profile_versions (profile_id, version)
);

CREATE INDEX reconciliations_list ON reconciliations (business_day DESC, id DESC);
CREATE INDEX reconciliations_profile ON reconciliations (profile_id, business_day, id);
CREATE INDEX reconciliations_file ON reconciliations (file_hash);

-- The report's lines as they were understood: only what is compared, card
-- numbers masked.
CREATE TABLE report_rows (
    reconciliation_id bigint NOT NULL REFERENCES reconciliations,
    number            integer NOT NULL,  -- of the line in the file
    meaning           text NOT NULL CHECK (meaning IN ('', 'sale', 'cancellation', 'reversal', 'declined', 'ignore')),
    serial_number     text NOT NULL,
    merchant_id       text NOT NULL,
    order_id          text NOT NULL,
    folio             text NOT NULL,
    auth_code         text NOT NULL,
    last4             text NOT NULL CHECK (last4 ~ '^[0-9]{0,4}$'),
    amount            bigint CHECK (amount >= 0),  -- centavos; null when it has none that can be read
    at                timestamptz,                 -- null when the line gives no time of day
    day               date,                        -- of the cut-off's zone; null when the line gives none
    problem           text NOT NULL,               -- why it could not be understood, as a code
    problem_column    text NOT NULL,
    problem_value     text NOT NULL,
    PRIMARY KEY (reconciliation_id, number)
);

-- What a report says of one order, or a sale of ours that it does not name, and
-- how that compares. Rows name sales without a foreign key: the sales of an
-- import that is undone go, what a report said of them stays.
CREATE TABLE report_items (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reconciliation_id bigint NOT NULL REFERENCES reconciliations,
    kind              text NOT NULL CHECK (kind IN (
        'canceled', 'byHand', 'charged', 'stillCharged', 'unproven', 'underWay', 'amountDiffers', 'contradictory',
        'reversed', 'declined', 'proposed', 'unknownSale', 'unknownTerminal', 'otherDay', 'unreadable', 'repeated',
        'notInReport', 'same', 'ignored')),
    settles           text NOT NULL CHECK (settles IN ('', 'confirmed', 'notCanceled', 'conflict')),
    verdict           text NOT NULL,     -- what the lines say together
    why               text NOT NULL,     -- more about the kind, as a code
    basis             text NOT NULL,     -- by what the sale was found
    lines             integer[] NOT NULL,  -- the first of them
    line_count        integer NOT NULL,
    serial_number     text NOT NULL,
    merchant_id       text NOT NULL,
    order_id          text NOT NULL,
    folio             text NOT NULL,
    auth_code         text NOT NULL,
    last4             text NOT NULL,
    amount            bigint,
    at                timestamptz,
    day               date,
    problem           text NOT NULL,
    problem_column    text NOT NULL,
    problem_value     text NOT NULL,
    store_id          bigint,            -- of the sale, else where the terminal stood
    sale_id           bigint,
    ours              text NOT NULL,     -- the sale's state when it was compared
    settled_at        timestamptz,
    settled_by        text NOT NULL DEFAULT '',
    settled           text NOT NULL DEFAULT '' CHECK (settled IN ('', 'confirmed', 'notCanceled', 'conflict', 'already')),
    reviewed_at       timestamptz,
    reviewed_by       text NOT NULL DEFAULT '',
    note              text NOT NULL DEFAULT '' CHECK (length(note) <= 300),
    -- Only what was found by order number and terminal ever settles anything.
    CHECK (settles = '' OR basis = 'order' AND sale_id IS NOT NULL),
    CHECK ((settled_at IS NULL) = (settled = '')),
    CHECK (settled = '' OR settles <> '')
);

CREATE INDEX report_items_kind ON report_items (reconciliation_id, kind, id);
CREATE INDEX report_items_sale ON report_items (reconciliation_id, sale_id);
-- What still waits for a person: few rows out of very many.
CREATE INDEX report_items_open ON report_items (reconciliation_id, store_id)
    WHERE settled_at IS NULL AND reviewed_at IS NULL AND kind NOT IN ('same', 'ignored');

-- How many of each kind, by store (0: of none that is known), so that a list of
-- reports does not count the rows of each.
CREATE TABLE report_counts (
    reconciliation_id bigint NOT NULL REFERENCES reconciliations,
    kind              text NOT NULL,
    store_id          bigint NOT NULL,
    items             integer NOT NULL,
    PRIMARY KEY (reconciliation_id, kind, store_id)
);
