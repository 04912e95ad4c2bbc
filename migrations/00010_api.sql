-- +goose Up

-- A program that may use the API: what it may do, and in which stores. Programs
-- act beside people in the trail and in cases, so the numbers of both come from
-- one line: people below a million million, programs from there on.
ALTER TABLE users ADD CONSTRAINT users_below_keys CHECK (id < 1000000000000);

CREATE TABLE api_keys (
    id         bigint GENERATED ALWAYS AS IDENTITY (START WITH 1000000000000) PRIMARY KEY CHECK (id >= 1000000000000),
    name       text NOT NULL CHECK (name <> '' AND length(name) <= 80),
    scopes     text[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY[
        'sales:write', 'sales:read', 'cancellations:write', 'cancellations:read', 'audit:read']),
    all_stores boolean NOT NULL,
    per_minute integer NOT NULL CHECK (per_minute BETWEEN 60 AND 10000000), -- see models.Pace
    version    integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL CHECK (created_by <> ''),
    revoked_at timestamptz,
    revoked_by text NOT NULL DEFAULT '',
    CHECK ((revoked_at IS NULL) = (revoked_by = ''))
);

-- The trail names a program by its key's name: two of the same could not be
-- told apart there.
CREATE UNIQUE INDEX api_keys_name ON api_keys (lower(name)) WHERE revoked_at IS NULL;

CREATE TABLE api_key_stores (
    key_id   bigint NOT NULL REFERENCES api_keys,
    store_id bigint NOT NULL REFERENCES stores,
    PRIMARY KEY (key_id, store_id)
);

-- What a program shows to be let in. While a key is being rotated it has two,
-- so that no call fails between the old one and the new. Only hashes are kept:
-- the secrets are random, so a copy of this table opens nothing.
CREATE TABLE api_secrets (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_id       bigint NOT NULL REFERENCES api_keys,
    hash         bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
    prefix       text NOT NULL,  -- its first characters, for people to recognise it
    created_at   timestamptz NOT NULL,
    created_by   text NOT NULL CHECK (created_by <> ''),
    expires_at   timestamptz NOT NULL,
    last_used_at timestamptz,    -- written at most once a minute
    replaced_by  bigint REFERENCES api_secrets
);

CREATE INDEX api_secrets_key ON api_secrets (key_id, id);

-- What was refused at the door of the API, counted by minute: the trail gets one
-- entry with the number, not one per try.
CREATE TABLE api_refusals (
    minute  timestamptz NOT NULL,
    address text NOT NULL,
    key_id  bigint NOT NULL, -- 0 when no key was known
    name    text NOT NULL,
    code    text NOT NULL,
    tries   integer NOT NULL,
    PRIMARY KEY (minute, address, key_id, code)
);

-- What was answered to a request with an Idempotency-Key, so that its repeat gets
-- the same answer. Between the act and its answer a process may die: then the row
-- is without a status, its lease runs out, and the act is done again, which is
-- harmless because recording and requesting are idempotent by themselves.
CREATE TABLE api_answers (
    key_id       bigint NOT NULL REFERENCES api_keys,
    token        bytea NOT NULL CHECK (length(token) = 32),   -- hash of the Idempotency-Key
    request      bytea NOT NULL CHECK (length(request) = 32), -- hash of what was asked
    begun_at     timestamptz NOT NULL,
    leased_until timestamptz NOT NULL,
    status       integer,         -- null while it is being done
    content_type text NOT NULL DEFAULT '',
    body         bytea,
    PRIMARY KEY (key_id, token),
    CHECK ((status IS NULL) = (body IS NULL))
);

CREATE INDEX api_answers_age ON api_answers (begun_at);
