-- +goose Up

-- Which group of the provider of the single sign-on gives which role, and where. Auditors
-- are not among them: their access needs a last day, which no group says.
CREATE TABLE sso_groups (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text NOT NULL UNIQUE CHECK (name <> '' AND length(name) <= 255), -- as the provider writes it
    role       text NOT NULL CHECK (role IN ('manager', 'supervisor', 'administrator')),
    all_stores boolean NOT NULL CHECK (all_stores OR role <> 'administrator'),
    version    integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL
);
CREATE TABLE sso_group_stores (
    group_id bigint NOT NULL REFERENCES sso_groups ON DELETE CASCADE,
    store_id bigint NOT NULL REFERENCES stores,
    PRIMARY KEY (group_id, store_id)
);

-- Who somebody is at the provider. Its own name for them decides, never the address: that
-- may be given to somebody else.
CREATE TABLE sso_identities (
    issuer     text NOT NULL,
    subject    text NOT NULL CHECK (subject <> ''),
    user_id    bigint NOT NULL REFERENCES users,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (issuer, subject),
    UNIQUE (user_id, issuer)
);

-- People who were here before, and whose account an administrator lets the provider's
-- verified address take over, once.
CREATE TABLE sso_links (
    user_id    bigint PRIMARY KEY REFERENCES users,
    allowed_at timestamptz NOT NULL,
    allowed_by text NOT NULL
);

-- Sign-ins that are under way at the provider. Each is used once, in the browser that has
-- its cookie; of both secrets that leave the server only hashes are stored.
CREATE TABLE sso_flows (
    state_hash   bytea PRIMARY KEY CHECK (octet_length(state_hash) = 32),
    browser_hash bytea NOT NULL CHECK (octet_length(browser_hash) = 32),
    nonce        text NOT NULL,
    verifier     text NOT NULL,
    next         text NOT NULL, -- the page that they wanted
    network      text NOT NULL, -- by which their number is limited
    expires_at   timestamptz NOT NULL
);
CREATE INDEX sso_flows_expiry ON sso_flows (expires_at);
CREATE INDEX sso_flows_network ON sso_flows (network);

-- Which session came of which of the provider's, so that it can end it.
CREATE TABLE sso_sessions (
    token_hash bytea PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    issuer     text NOT NULL,
    subject    text NOT NULL,
    sid        text NOT NULL -- '' when the provider named none
);
CREATE INDEX sso_sessions_subject ON sso_sessions (issuer, subject);
CREATE INDEX sso_sessions_sid ON sso_sessions (issuer, sid) WHERE sid <> '';

-- What the provider has said of sessions that are over: each is taken once.
CREATE TABLE sso_logouts (
    issuer     text NOT NULL,
    token_id   text NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (issuer, token_id)
);

INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT, INSERT, UPDATE (name, role, all_stores, version), DELETE', 'sso_groups'),
    ('server', 'SELECT, INSERT, DELETE', 'sso_group_stores'),
    ('server', 'SELECT, INSERT', 'sso_identities'),
    ('server', 'SELECT, INSERT, DELETE', 'sso_links'),
    ('server', 'SELECT, INSERT, DELETE', 'sso_flows'),
    ('server', 'SELECT, INSERT', 'sso_sessions'),
    ('server', 'SELECT, INSERT, DELETE', 'sso_logouts');

-- Whoever may say which group is which role, and who is whom at the provider, makes
-- administrators: as with people, the trail has to say so, see migration 58.
CREATE CONSTRAINT TRIGGER sso_groups_are_in_the_trail AFTER INSERT OR UPDATE OR DELETE ON sso_groups DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('sso.groupsChanged');
CREATE CONSTRAINT TRIGGER sso_group_stores_are_in_the_trail AFTER INSERT OR UPDATE OR DELETE ON sso_group_stores DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('sso.groupsChanged');
CREATE CONSTRAINT TRIGGER sso_identities_are_in_the_trail AFTER INSERT ON sso_identities DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('user.created', 'user.linked');
CREATE CONSTRAINT TRIGGER sso_links_are_in_the_trail AFTER INSERT ON sso_links DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('user.linkAllowed');
