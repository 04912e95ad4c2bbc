-- +goose Up

-- Why a sale is canceled. Cases keep the code; a retired reason stays readable.
CREATE TABLE reasons (
    code       text PRIMARY KEY CHECK (code ~ '^[a-z][A-Za-z]{1,30}$'),
    label_es   text NOT NULL,
    label_en   text NOT NULL,
    position   integer NOT NULL,
    retired_at timestamptz
);

INSERT INTO reasons (code, label_es, label_en, position) VALUES
    ('customerRequest', 'El cliente cambió de opinión',     'The customer changed their mind', 1),
    ('wrongAmount',     'Monto equivocado',                 'Wrong amount',                    2),
    ('chargedTwice',    'Se cobró dos veces',               'Charged twice',                   3),
    ('wrongProduct',    'Producto equivocado o agotado',    'Wrong or missing product',        4),
    ('otherPayment',    'Pagará de otra forma',             'Will pay another way',            5),
    ('other',           'Otro motivo (explícalo en la nota)', 'Another reason (say it in the note)', 6);

-- One case per sale at a time. The life of a case is a table in the domain;
-- what the database can hold of it, it holds.
CREATE TABLE cancellations (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sale_id       bigint NOT NULL REFERENCES sales,
    store_id      bigint NOT NULL REFERENCES stores,
    terminal_id   bigint NOT NULL REFERENCES terminals,
    state         text NOT NULL CHECK (state IN (
        'requested', 'withdrawn', 'expired', 'sending', 'accepted',
        'rejected', 'unknown', 'confirmed', 'notCanceled')),
    version       integer NOT NULL DEFAULT 1,
    detail        text NOT NULL DEFAULT '', -- what led to the state, as a code
    omit_receipt  boolean NOT NULL,
    reason        text NOT NULL REFERENCES reasons,
    note          text NOT NULL CHECK (length(note) <= 500),
    origin        text NOT NULL CHECK (origin IN ('person', 'terminal')),
    requested_by  bigint,          -- null when a person canceled on the terminal itself
    requester     text NOT NULL,
    click         text NOT NULL,   -- drawn with the sheet: the same click is the same case
    requested_at  timestamptz NOT NULL,
    cutoff_at     timestamptz NOT NULL,
    changed_at    timestamptz NOT NULL,
    attempts      integer NOT NULL DEFAULT 0,
    last_push_at  timestamptz,     -- when bytes last may have left for the terminal
    conflict      text NOT NULL DEFAULT '', -- what contradicts the state, for a supervisor
    CHECK ((origin = 'person') = (requested_by IS NOT NULL))
);

-- Two people, two tabs, two servers: one open case per sale.
CREATE UNIQUE INDEX cancellations_one_open ON cancellations (sale_id)
    WHERE state IN ('requested', 'sending', 'accepted', 'unknown');

-- A second push replaces the first on the terminal's screen: one at a time.
CREATE UNIQUE INDEX cancellations_one_push ON cancellations (terminal_id)
    WHERE state IN ('sending', 'accepted');

CREATE UNIQUE INDEX cancellations_click ON cancellations (requested_by, click)
    WHERE requested_by IS NOT NULL;

-- Confirmed is final, whoever writes.
-- +goose StatementBegin
CREATE FUNCTION refuse_unconfirmed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'confirmed is final' USING ERRCODE = 'restrict_violation';
END $$;
-- +goose StatementEnd

CREATE TRIGGER cancellations_confirmed_kept BEFORE UPDATE ON cancellations
    FOR EACH ROW WHEN (OLD.state = 'confirmed' AND NEW.state <> 'confirmed')
    EXECUTE FUNCTION refuse_unconfirmed();

CREATE INDEX cancellations_sale ON cancellations (sale_id, id);
CREATE INDEX cancellations_waiting ON cancellations (terminal_id, id)
    WHERE state IN ('requested', 'sending', 'accepted', 'unknown');

-- One POST that may have left. The row is committed before any byte does.
CREATE TABLE attempts (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cancellation_id bigint NOT NULL REFERENCES cancellations,
    number          integer NOT NULL CHECK (number > 0),
    -- The id that travels in traceability is a capability. Its hash is enough
    -- to recognise it when it comes back.
    key_hash        text NOT NULL UNIQUE CHECK (key_hash ~ '^[0-9a-f]{64}$'),
    started_at      timestamptz NOT NULL,
    deadline_at     timestamptz NOT NULL, -- the answer cannot come later than this
    first_byte_at   timestamptz,
    finished_at     timestamptz,
    meaning         text NOT NULL DEFAULT '' CHECK (meaning IN ('', 'notSent', 'accepted', 'refused', 'unknown')),
    detail          text NOT NULL DEFAULT '',
    http_status     integer NOT NULL DEFAULT 0,
    code            text NOT NULL DEFAULT '',
    message         text NOT NULL DEFAULT '',
    duration_ms     integer NOT NULL DEFAULT 0,
    UNIQUE (cancellation_id, number)
);
