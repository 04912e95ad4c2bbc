-- +goose Up

-- A browser in which somebody has signed in, by the id in its cookie, which the server signs.
-- It has a row of its own, so that it can be listed and forgotten.
CREATE TABLE devices (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token      text NOT NULL UNIQUE CHECK (token <> ''),
    created_at timestamptz NOT NULL,
    user_agent text NOT NULL -- as of the last sign-in
);

-- Who has signed in there, with the password that they have now: another password forgets
-- all devices of its person. Several people share a counter.
CREATE TABLE known_devices (
    user_id      bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    device_id    bigint NOT NULL REFERENCES devices ON DELETE CASCADE,
    -- The person said that it is theirs, or their counter's. Only there is a session open
    -- without use for longer, and no code asked where the rule is "on a new device".
    own          boolean NOT NULL DEFAULT false,
    created_at   timestamptz NOT NULL,
    signed_in_at timestamptz NOT NULL,
    address      text NOT NULL, -- of the last sign-in
    PRIMARY KEY (user_id, device_id)
);
CREATE INDEX known_devices_device ON known_devices (device_id);
CREATE INDEX known_devices_age ON known_devices (signed_in_at);

-- The defaults are for a server of the release before, which may run while this is applied.
ALTER TABLE sessions
    ADD COLUMN id        bigint GENERATED ALWAYS AS IDENTITY, -- its number on pages, which opens nothing
    ADD COLUMN device_id bigint REFERENCES devices, -- NULL: of the release before
    ADD COLUMN seen_at   timestamptz NOT NULL DEFAULT now(), -- the last act of its person, within a minute
    ADD COLUMN proved_at timestamptz NOT NULL DEFAULT now(), -- when they last proved who they are
    ADD CONSTRAINT sessions_id_key UNIQUE (id);
UPDATE sessions SET proved_at = created_at;
CREATE INDEX sessions_device ON sessions (device_id);

-- Where a sign-in that waits for its second step began.
ALTER TABLE sign_in_steps
    ADD COLUMN device text NOT NULL DEFAULT '', -- '': it has no cookie yet
    ADD COLUMN own    boolean NOT NULL DEFAULT false;

-- Of whom no code is asked is in the trail (see migration 58).
CREATE CONSTRAINT TRIGGER known_devices_are_in_the_trail AFTER INSERT ON known_devices DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('session.started', 'user.passwordSet');
CREATE CONSTRAINT TRIGGER known_devices_change_in_the_trail AFTER UPDATE ON known_devices DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN ((OLD.user_id, OLD.device_id, OLD.own) IS DISTINCT FROM (NEW.user_id, NEW.device_id, NEW.own))
    EXECUTE FUNCTION keep_act_in_trail('session.started', 'session.deviceChanged');

INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT, INSERT, UPDATE (user_agent), DELETE', 'devices'),
    ('server', 'SELECT, INSERT, UPDATE (own, signed_in_at, address), DELETE', 'known_devices');
