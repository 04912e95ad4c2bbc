-- +goose Up

-- A right that moves money and that one administrator gives waits for the word of another.
-- Until then the person, or the program of the key, has what they had before.
CREATE TABLE proposals (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id       bigint REFERENCES users,    -- who gets the rights, or
    key_id        bigint REFERENCES api_keys, -- the key that does
    name          text NOT NULL CHECK (name <> ''), -- theirs, then
    email         text NOT NULL DEFAULT '',         -- of a person
    rights_before jsonb NOT NULL,
    rights_after  jsonb NOT NULL,
    asked_by      bigint NOT NULL,          -- an administrator
    asked_by_name text NOT NULL CHECK (asked_by_name <> ''),
    asked_at      timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL CHECK (expires_at > asked_at),
    ended_at      timestamptz,
    ended_by      text NOT NULL DEFAULT '' CHECK (ended_by IN ('', 'confirmed', 'refused', 'withdrawn', 'expired', 'lapsed')),
    CHECK (num_nonnulls(user_id, key_id) = 1),
    CHECK ((email = '') = (user_id IS NULL)),
    CHECK ((ended_at IS NULL) = (ended_by = ''))
);

-- One at a time for each person and each key.
CREATE UNIQUE INDEX proposals_of_user ON proposals (user_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX proposals_of_key ON proposals (key_id) WHERE ended_at IS NULL;

CREATE CONSTRAINT TRIGGER proposals_are_in_the_trail AFTER INSERT ON proposals DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('rights.asked');
CREATE CONSTRAINT TRIGGER proposals_end_in_the_trail AFTER UPDATE ON proposals DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail(
        'rights.confirmed', 'rights.refused', 'rights.withdrawn', 'rights.expired', 'rights.lapsed');

CREATE TRIGGER proposals_stay_ended BEFORE UPDATE ON proposals
    FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION refuse_other_answer();

-- Who gave somebody a way into their account: an invitation, a link, a second step that is set
-- up anew, another address. For a week that may be one person with two accounts, and neither
-- confirms what the other asks for.
CREATE TABLE access_helpers (
    user_id   bigint NOT NULL REFERENCES users,
    helper_id bigint NOT NULL, -- an administrator
    at        timestamptz NOT NULL,
    PRIMARY KEY (user_id, helper_id)
);

-- From when on an administrator who was made by one alone counts as a second one; NULL: since
-- they are an administrator.
ALTER TABLE users ADD COLUMN second_from timestamptz;

-- The scope of a key by which it cancels opens nothing until another administrator has
-- confirmed it. Scopes themselves never change.
ALTER TABLE api_keys ADD COLUMN withheld boolean NOT NULL DEFAULT false;

-- The entry of a confirmation is that of the change.
DROP TRIGGER users_change_in_the_trail ON users;
CREATE CONSTRAINT TRIGGER users_change_in_the_trail AFTER UPDATE ON users DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN ((OLD.id, OLD.email, OLD.name, OLD.role, OLD.all_stores, OLD.password_hash, OLD.disabled_at, OLD.access_until,
            OLD.second_from)
        IS DISTINCT FROM (NEW.id, NEW.email, NEW.name, NEW.role, NEW.all_stores, NEW.password_hash, NEW.disabled_at, NEW.access_until,
            NEW.second_from))
    EXECUTE FUNCTION keep_act_in_trail('user.changed', 'user.disabled', 'user.enabled', 'user.passwordReset', 'user.passwordSet',
        'rights.confirmed');
DROP TRIGGER user_stores_are_in_the_trail ON user_stores;
CREATE CONSTRAINT TRIGGER user_stores_are_in_the_trail AFTER INSERT OR UPDATE OR DELETE ON user_stores DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('user.created', 'user.changed', 'rights.confirmed');
DROP TRIGGER api_keys_are_in_the_trail ON api_keys;
CREATE CONSTRAINT TRIGGER api_keys_are_in_the_trail AFTER INSERT ON api_keys DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('key.created');
CREATE CONSTRAINT TRIGGER api_keys_change_in_the_trail AFTER UPDATE ON api_keys DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.withheld = NEW.withheld) EXECUTE FUNCTION keep_act_in_trail('key.rotated', 'key.revoked');
CREATE CONSTRAINT TRIGGER api_keys_are_confirmed_in_the_trail AFTER UPDATE ON api_keys DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.withheld <> NEW.withheld) EXECUTE FUNCTION keep_act_in_trail('rights.confirmed');

-- Administrators are told what waits for them.
ALTER TABLE account_notices DROP CONSTRAINT account_notices_kind_check, DROP CONSTRAINT account_notices_check1;
ALTER TABLE account_notices
    ADD CONSTRAINT account_notices_kind_check CHECK (kind IN ('newDevice', 'passwordChanged', 'passwordSet', 'passwordReset', 'linkMade',
        'factorAdded', 'factorRemoved', 'recoveryMade', 'factorReset', 'factorResetOf', 'pinSet', 'pinRemoved', 'pinShut', 'rightsAsked')),
    ADD CONSTRAINT account_notices_of_check CHECK ((kind IN ('factorResetOf', 'rightsAsked')) = (of_name <> ''));

INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT, INSERT, UPDATE (ended_at, ended_by)', 'proposals'),
    ('server', 'SELECT, INSERT, UPDATE (at)', 'access_helpers');
UPDATE database_rights SET may = 'SELECT, INSERT, UPDATE (version, revoked_at, revoked_by, withheld)'
    WHERE job = 'server' AND thing = 'api_keys';
