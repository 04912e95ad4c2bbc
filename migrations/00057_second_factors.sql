-- +goose Up

-- The authenticator app of a person, who has one at most. The secret is encrypted.
CREATE TABLE second_factors (
    user_id      bigint PRIMARY KEY REFERENCES users,
    secret       bytea NOT NULL,
    created_at   timestamptz NOT NULL,
    confirmed_at timestamptz, -- NULL: it is being set up, and asked of nobody
    -- The newest half minute of which a code was used, and the one of a code that came from
    -- a phone whose clock is wrong: none of them is taken again.
    last_step    bigint NOT NULL DEFAULT 0,
    early_step   bigint NOT NULL DEFAULT 0
);

-- Codes for who has lost the app. Each is used once; only hashes are stored.
CREATE TABLE recovery_codes (
    user_id   bigint NOT NULL REFERENCES users,
    code_hash bytea NOT NULL CHECK (octet_length(code_hash) = 32),
    used_at   timestamptz,
    PRIMARY KEY (user_id, code_hash)
);

-- Sign-ins whose password was right, and that wait for the second step. They are no
-- sessions: nothing but that step looks for them.
CREATE TABLE sign_in_steps (
    token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    user_id    bigint NOT NULL REFERENCES users,
    counted_by text NOT NULL, -- as in login_failures
    known      boolean NOT NULL, -- a device of the account
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX sign_in_steps_expiry ON sign_in_steps (expires_at);

-- When people of a role are asked for it.
CREATE TABLE factor_rules (
    role text PRIMARY KEY CHECK (role IN ('manager', 'supervisor', 'administrator', 'auditor')),
    ask  text NOT NULL CHECK (ask IN ('never', 'newDevice', 'always'))
);
INSERT INTO factor_rules VALUES ('manager', 'never'), ('supervisor', 'never'), ('administrator', 'never'), ('auditor', 'never');

INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'second_factors'),
    ('server', 'SELECT, INSERT, UPDATE (used_at), DELETE', 'recovery_codes'),
    ('server', 'SELECT, INSERT, DELETE', 'sign_in_steps'),
    ('server', 'SELECT, UPDATE (ask)', 'factor_rules');
