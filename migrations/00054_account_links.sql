-- +goose Up

-- Links by which people set their own password: once, within a day. Only hashes are
-- stored, so that a copy of this table opens nothing. What became of a link stays, so
-- that whoever comes with an old one can be told.
CREATE TABLE account_links (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id    bigint NOT NULL REFERENCES users,
    kind       text NOT NULL CHECK (kind IN ('invitation', 'reset')),
    token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    -- Of the same link in its letter, which has a token of its own: it is made when the
    -- letter leaves, because the first one is not stored.
    mail_hash  bytea UNIQUE CHECK (octet_length(mail_hash) = 32),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    ended_at   timestamptz,
    ended_by   text NOT NULL DEFAULT '' CHECK (ended_by IN ('', 'use', 'newer', 'account')),
    CHECK ((ended_at IS NULL) = (ended_by = ''))
);

-- A person has one link at a time.
CREATE UNIQUE INDEX account_links_open ON account_links (user_id) WHERE ended_at IS NULL;
CREATE INDEX account_links_user ON account_links (user_id, id DESC);

-- The link that a letter brings.
ALTER TABLE mails ADD COLUMN account_link_id bigint REFERENCES account_links,
    DROP CONSTRAINT mails_about_check,
    ADD CONSTRAINT mails_about_check CHECK (num_nonnulls(alert_id, cancellation_id, account_link_id) <= 1);

INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT, INSERT, UPDATE (mail_hash, ended_at, ended_by)', 'account_links');
