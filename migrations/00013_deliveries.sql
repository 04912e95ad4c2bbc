-- +goose Up

-- Where something is forwarded to: results of terminals as they came (relay),
-- or events of cancellations (webhook). An endpoint is never deleted, because
-- the log of what was delivered names it; a retired one has no address left.
CREATE TABLE endpoints (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind              text NOT NULL CHECK (kind IN ('relay', 'webhook')),
    name              text NOT NULL CHECK (name <> '' AND length(name) <= 60),
    -- People see the address without what follows its question mark: that is
    -- where keys are put. The whole of it is sealed, like the secret that signs:
    -- whoever has a copy of this table can neither read nor sign anything.
    shown_url         text NOT NULL CHECK (length(shown_url) <= 520),
    sealed_url        bytea NOT NULL,
    sealed_secret     bytea NOT NULL,
    sealed_old_secret bytea,       -- signs too until old_secret_until
    old_secret_until  timestamptz,
    events            text[] NOT NULL,   -- of webhooks: which
    all_stores        boolean NOT NULL,
    store_ids         bigint[] NOT NULL, -- of webhooks, unless all_stores
    state             text NOT NULL CHECK (state IN ('active', 'paused', 'disabled', 'retired')),
    state_reason      text NOT NULL DEFAULT '', -- why it was disabled, as a code
    state_at          timestamptz NOT NULL,
    failing_since     timestamptz, -- first failure since the last success
    delivered_at      timestamptz, -- last success, to the minute
    version           integer NOT NULL DEFAULT 1,
    created_at        timestamptz NOT NULL,
    CHECK ((old_secret_until IS NULL) = (sealed_old_secret IS NULL)),
    CHECK (state <> 'retired' OR (sealed_url = '' AND sealed_secret = '' AND sealed_old_secret IS NULL))
);

CREATE UNIQUE INDEX endpoints_name ON endpoints (lower(name)) WHERE state <> 'retired';

-- One thing to deliver to one endpoint, written in the transaction of what it
-- tells.
CREATE TABLE deliveries (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    endpoint_id     bigint NOT NULL REFERENCES endpoints,
    message_id      uuid NOT NULL DEFAULT gen_random_uuid(), -- by which a receiver tells repeats
    lane            text NOT NULL CHECK (length(lane) <= 60), -- within it order is kept
    event           text NOT NULL CHECK (event <> '' AND length(event) <= 60),
    result_id       bigint REFERENCES results,
    cancellation_id bigint REFERENCES cancellations,
    serial_number   text NOT NULL,
    order_id        text NOT NULL,
    payload         text NOT NULL DEFAULT '', -- of events
    -- A result as it came, with whatever the terminal put into it. It is sealed,
    -- and gone once the delivery is over.
    sealed_body     bytea,
    content_type    text NOT NULL CHECK (length(content_type) <= 200),
    state           text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'givenUp', 'setAside')),
    detail          text NOT NULL DEFAULT '', -- of the last try, or why it is over, as a code
    tries           integer NOT NULL DEFAULT 0,
    created_at      timestamptz NOT NULL,
    queued_at       timestamptz NOT NULL, -- when it last began to wait; it is given up three days after
    finished_at     timestamptz,
    CHECK ((state = 'waiting') = (finished_at IS NULL)),
    CONSTRAINT deliveries_body_gone CHECK (state = 'waiting' OR sealed_body IS NULL)
);

CREATE INDEX deliveries_list ON deliveries (endpoint_id, id DESC);
-- The head of a lane, and what waits at all.
CREATE INDEX deliveries_lane ON deliveries (endpoint_id, lane, id) WHERE state = 'waiting';
CREATE INDEX deliveries_waiting ON deliveries (endpoint_id, id DESC) WHERE state = 'waiting';
CREATE INDEX deliveries_failed ON deliveries (endpoint_id, id DESC) WHERE state IN ('givenUp', 'setAside');
CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL;

-- A lane is there while something waits in it. Whoever delivers takes lanes, not
-- deliveries: so one is under way per lane, whatever the number of processes.
-- Whoever adds a delivery locks its lane, so that a lane is never taken away
-- from under one.
CREATE TABLE delivery_lanes (
    endpoint_id bigint NOT NULL REFERENCES endpoints,
    lane        text NOT NULL,
    due_at      timestamptz NOT NULL,
    leased_until timestamptz, -- a process is at it; one that died lets go by this
    failures    integer NOT NULL DEFAULT 0, -- of its head, in a row
    PRIMARY KEY (endpoint_id, lane)
);

CREATE INDEX delivery_lanes_due ON delivery_lanes (endpoint_id, due_at);

-- One POST, and what came of it.
CREATE TABLE delivery_tries (
    delivery_id bigint NOT NULL REFERENCES deliveries ON DELETE CASCADE,
    number      integer NOT NULL CHECK (number > 0),
    at          timestamptz NOT NULL,
    duration_ms integer NOT NULL,
    http_status integer NOT NULL, -- 0: there was no answer
    detail      text NOT NULL,
    answer      text NOT NULL CHECK (length(answer) <= 300), -- its first characters, masked
    masked_body boolean NOT NULL, -- the stored result was sent: the one that came was gone
    PRIMARY KEY (delivery_id, number)
);
