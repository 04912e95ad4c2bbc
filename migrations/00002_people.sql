-- +goose Up

-- People. The role says what they may do, the scope says where.
CREATE TABLE users (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email         text NOT NULL CHECK (email = lower(email) AND email ~ '^[^@[:space:]]+@[^@[:space:]]+$' AND length(email) <= 120),
    name          text NOT NULL CHECK (name <> '' AND length(name) <= 80),
    role          text NOT NULL CHECK (role IN ('manager', 'supervisor', 'administrator')),
    -- A manager belongs to named stores; only the others may see them all.
    all_stores    boolean NOT NULL CHECK (NOT (all_stores AND role = 'manager')),
    password_hash text NOT NULL, -- argon2id, with its parameters
    language      text NOT NULL CHECK (language IN ('', 'es-MX', 'en')),
    version       integer NOT NULL DEFAULT 1,
    disabled_at   timestamptz,
    created_at    timestamptz NOT NULL,
    CONSTRAINT users_email_key UNIQUE (email)
);

CREATE TABLE user_stores (
    user_id  bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    store_id bigint NOT NULL REFERENCES stores,
    PRIMARY KEY (user_id, store_id)
);

-- Signed-in browsers. Only the hash of the cookie is kept, so that a copy of
-- this table opens nothing.
CREATE TABLE sessions (
    token_hash   bytea PRIMARY KEY,
    user_id      bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    address      text NOT NULL,
    user_agent   text NOT NULL
);

CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Failed sign-ins, counted by account and by address. They are kept here and
-- not in a process, so that a second server cannot be used to try again.
CREATE TABLE login_failures (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email   text NOT NULL,
    address text NOT NULL,
    at      timestamptz NOT NULL
);

CREATE INDEX login_failures_email ON login_failures (email, at);
CREATE INDEX login_failures_address ON login_failures (address, at);
