-- +goose Up

-- The closing report of a day: what stood when its cut-off had passed. canonical
-- are the bytes that were frozen, hash is their SHA-256, which is in the trail
-- too: whoever seals the trail seals the report.
CREATE TABLE closings (
    day       date PRIMARY KEY,
    cutoff_at timestamptz NOT NULL,
    closed_at timestamptz NOT NULL CHECK (closed_at >= cutoff_at), -- late when no server was up
    sales     bigint NOT NULL,
    amount    bigint NOT NULL, -- centavos
    canonical bytea NOT NULL,
    hash      bytea NOT NULL CHECK (hash = sha256(canonical))
);

-- What a terminal sold in a store on the day, sale by sale: the same place in
-- each of the arrays is the same sale. A row per sale would be a million a day.
-- counts and sums are by standing, in the order of the domain. revision is that
-- of day_totals, in the same snapshot: where it is still the same, nothing has
-- changed since.
CREATE TABLE closing_terminals (
    day           date NOT NULL REFERENCES closings DEFERRABLE INITIALLY DEFERRED,
    store_id      bigint NOT NULL,
    terminal_id   bigint NOT NULL,
    store_code    text NOT NULL,
    store_name    text NOT NULL,
    serial_number text NOT NULL,
    revision      bigint NOT NULL,
    counts        bigint[] NOT NULL,
    sums          bigint[] NOT NULL,
    sales_hash    bytea NOT NULL CHECK (length(sales_hash) = 32),
    sale_ids      bigint[] NOT NULL,
    amounts       bigint[] NOT NULL,
    standings     text NOT NULL, -- a letter each
    PRIMARY KEY (day, store_id, terminal_id),
    CHECK (cardinality(counts) = 8 AND cardinality(sums) = 8),
    CHECK (cardinality(amounts) = cardinality(sale_ids) AND length(standings) = cardinality(sale_ids))
);

-- Requests that were taken back before they were sent are few out of very many.
CREATE INDEX cancellations_withdrawn ON cancellations (sale_id) WHERE state = 'withdrawn';
CREATE INDEX undone_sales_undone ON undone_sales (undone_at);

-- +goose StatementBegin
CREATE FUNCTION refuse_reopening() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a closing report is frozen: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
-- +goose StatementEnd

CREATE TRIGGER closings_frozen BEFORE UPDATE OR DELETE OR TRUNCATE ON closings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_reopening();
CREATE TRIGGER closing_terminals_frozen BEFORE UPDATE OR DELETE OR TRUNCATE ON closing_terminals
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_reopening();
ALTER TABLE closings ENABLE ALWAYS TRIGGER closings_frozen;
ALTER TABLE closing_terminals ENABLE ALWAYS TRIGGER closing_terminals_frozen;

-- Nothing is added to a report that is there: its terminals come first, it comes
-- last, in one transaction.
-- +goose StatementBegin
CREATE FUNCTION refuse_added_terminal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM added a JOIN closings c ON c.day = a.day) THEN
        RAISE EXCEPTION 'a closing report is frozen: nothing is added to it' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER closing_terminals_first AFTER INSERT ON closing_terminals
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_added_terminal();
ALTER TABLE closing_terminals ENABLE ALWAYS TRIGGER closing_terminals_first;

-- When an alert is raised: one row per kind of thing that an administrator wants
-- to hear of. What a kind does not use is 0.
CREATE TABLE alert_rules (
    kind          text PRIMARY KEY CHECK (kind ~ '^[a-z][A-Za-z]+$'),
    active        boolean NOT NULL,
    count         integer NOT NULL CHECK (count >= 0),
    minutes       integer NOT NULL CHECK (minutes >= 0),
    amount        bigint NOT NULL CHECK (amount >= 0), -- centavos
    factor        integer NOT NULL CHECK (factor >= 0), -- percent of the average
    all_stores    boolean NOT NULL,
    store_ids     bigint[] NOT NULL,
    emails        text[] NOT NULL,
    language      text NOT NULL CHECK (language IN ('es-MX', 'en')),
    webhook       boolean NOT NULL,
    quiet_minutes integer NOT NULL CHECK (quiet_minutes BETWEEN 0 AND 1440),
    version       integer NOT NULL DEFAULT 1,
    changed_at    timestamptz NOT NULL,
    changed_by    text NOT NULL
);

-- Seen by the supervisors on their page from the first day; nobody is written to
-- until an administrator says to whom.
INSERT INTO alert_rules (kind, active, count, minutes, amount, factor, all_stores, store_ids, emails, language, webhook, quiet_minutes, changed_at, changed_by)
SELECT kind, active, count, minutes, amount, factor, true, '{}', '{}', 'es-MX', false, quiet, '2026-01-01T06:00:00Z', 'Veinte' FROM (VALUES
    ('person',   true,  10,   60,       0,   0, 60),
    ('amount',   true,   0,    0, 1000000,   0, 60),
    ('rate',     true,   5,    0,       0, 300, 60),
    ('late',     false,  0,   10,       0,   0, 60),
    ('doubt',    true,   0,   30,       0,   0, 60),
    ('conflict', true,   0,    0,       0,   0, 60),
    ('trail',    true,   0,    0,       0,   0, 60),
    ('signIns',  true,  20,   10,       0,   0, 60),
    ('silent',   false,  0, 1440,       0,   0, 60),
    ('closing',  false,  0,    0,       0,   0,  0)
) AS rules (kind, active, count, minutes, amount, factor, quiet);

-- How far the trail has been looked at, in commit order. It moves in the
-- transaction that raises what was found: nothing is raised twice or forgotten.
CREATE TABLE alert_cursor (
    one  boolean PRIMARY KEY DEFAULT true CHECK (one),
    era  integer NOT NULL,
    txid xid8 NOT NULL,
    id   bigint NOT NULL
);

-- What was raised. The same cause is raised once. What happens again to the same
-- subject within the rule's quiet period is counted here instead of told anew.
CREATE TABLE alerts (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind          text NOT NULL REFERENCES alert_rules,
    cause         text NOT NULL CHECK (length(cause) <= 200),
    subject       text NOT NULL CHECK (length(subject) <= 200),
    raised_at     timestamptz NOT NULL,
    quiet_until   timestamptz NOT NULL,
    last_at       timestamptz NOT NULL,
    times         integer NOT NULL DEFAULT 1,
    told          integer NOT NULL DEFAULT 1, -- of them, those that somebody was told of
    store_id      bigint,
    store_name    text NOT NULL DEFAULT '',
    sale_id       bigint,
    entry_id      bigint,
    facts         jsonb NOT NULL,
    seen_at       timestamptz,
    seen_by       text NOT NULL DEFAULT '',
    note          text NOT NULL DEFAULT '' CHECK (length(note) <= 300),
    UNIQUE (kind, cause),
    CHECK (told <= times)
);

CREATE INDEX alerts_list ON alerts (raised_at DESC, id DESC);
CREATE INDEX alerts_store ON alerts (store_id, raised_at DESC, id DESC);
CREATE INDEX alerts_unseen ON alerts (raised_at DESC, id DESC) WHERE seen_at IS NULL;
CREATE INDEX alerts_subject ON alerts (kind, subject, quiet_until DESC);
CREATE INDEX alerts_untold ON alerts (quiet_until) WHERE told < times;

-- Causes that were counted instead of raised, so that they are counted once.
CREATE TABLE alert_repeats (
    kind     text NOT NULL,
    cause    text NOT NULL CHECK (length(cause) <= 200),
    alert_id bigint NOT NULL REFERENCES alerts,
    at       timestamptz NOT NULL,
    PRIMARY KEY (kind, cause)
);

-- A letter to one address, written in the transaction of what it tells. It names
-- what it is about; its words are made when it is sent.
CREATE TABLE mails (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id   uuid NOT NULL DEFAULT gen_random_uuid(), -- the same with every try
    alert_id     bigint REFERENCES alerts, -- null: a test
    more         integer NOT NULL DEFAULT 0 CHECK (more >= 0), -- how often it happened again; 0: the first letter
    recipient    text NOT NULL CHECK (recipient ~ '^[^@[:space:][:cntrl:]]+@[^@[:space:][:cntrl:]]+$' AND length(recipient) <= 120),
    language     text NOT NULL CHECK (language IN ('es-MX', 'en')),
    state        text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'givenUp')),
    detail       text NOT NULL DEFAULT '',
    answer       text NOT NULL DEFAULT '' CHECK (length(answer) <= 300),
    tries        integer NOT NULL DEFAULT 0,
    due_at       timestamptz NOT NULL,
    lease        uuid,
    leased_until timestamptz,
    created_at   timestamptz NOT NULL,
    finished_at  timestamptz,
    CHECK ((state = 'waiting') = (finished_at IS NULL))
);

CREATE INDEX mails_due ON mails (due_at) WHERE state = 'waiting';
CREATE INDEX mails_list ON mails (id DESC);

CREATE TABLE mail_tries (
    mail_id     bigint NOT NULL REFERENCES mails,
    number      integer NOT NULL CHECK (number > 0),
    at          timestamptz NOT NULL,
    duration_ms integer NOT NULL,
    detail      text NOT NULL,
    answer      text NOT NULL CHECK (length(answer) <= 300),
    PRIMARY KEY (mail_id, number)
);
