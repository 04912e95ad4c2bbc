-- +goose Up

-- A device at the counter of a store, which several people share: they come in by a PIN of
-- their own, and their sessions rest soon. The browser has a secret of which the hash is
-- here; whoever has only the number of a device is no counter.
CREATE TABLE counters (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token_hash   bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    device_id    bigint NOT NULL REFERENCES devices,
    store_id     bigint NOT NULL REFERENCES stores,
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    made_at      timestamptz NOT NULL,
    made_by      bigint NOT NULL REFERENCES users,
    last_user_id bigint REFERENCES users, -- who came in last, and is offered first after a rest
    ended_at     timestamptz,
    ended_by     bigint REFERENCES users,
    CHECK (num_nulls(ended_at, ended_by) IN (0, 2))
);
CREATE UNIQUE INDEX counters_device ON counters (device_id) WHERE ended_at IS NULL;

-- The PIN of a person, which opens nothing but a counter of a store that they manage.
CREATE TABLE counter_pins (
    user_id bigint PRIMARY KEY REFERENCES users,
    hash    text NOT NULL CHECK (hash LIKE '$argon2id$%'),
    set_at  timestamptz NOT NULL,
    -- How many wrong ones there were at all counters since their last full sign-in: right
    -- ones in between take nothing back.
    wrong   integer NOT NULL DEFAULT 0 CHECK (wrong >= 0)
);

-- How many wrong ones of a person there were at one counter, one after the other.
CREATE TABLE counter_tries (
    counter_id bigint NOT NULL REFERENCES counters,
    user_id    bigint NOT NULL REFERENCES users,
    wrong      integer NOT NULL CHECK (wrong > 0),
    PRIMARY KEY (counter_id, user_id)
);

-- A session that began with a PIN. The default is also for a server of the release before,
-- which may run while this is applied.
ALTER TABLE sessions ADD COLUMN pin boolean NOT NULL DEFAULT false;

INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT, INSERT, UPDATE (last_user_id, ended_at, ended_by)', 'counters'),
    ('server', 'SELECT, INSERT, UPDATE (hash, set_at, wrong), DELETE', 'counter_pins'),
    ('server', 'SELECT, INSERT, UPDATE (wrong), DELETE', 'counter_tries');

-- Where people come in by six digits, and by which, is in the trail (see migrations 58 and 74).
CREATE CONSTRAINT TRIGGER counters_begin_in_the_trail AFTER INSERT ON counters DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('counter.made');
CREATE CONSTRAINT TRIGGER counters_end_in_the_trail AFTER UPDATE ON counters DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.ended_at IS DISTINCT FROM NEW.ended_at) EXECUTE FUNCTION keep_act_in_trail('counter.ended');
CREATE CONSTRAINT TRIGGER counter_pins_begin_in_the_trail AFTER INSERT ON counter_pins DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_passkey_in_trail('user.pinSet');
CREATE CONSTRAINT TRIGGER counter_pins_change_in_the_trail AFTER UPDATE ON counter_pins DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.hash <> NEW.hash) EXECUTE FUNCTION keep_passkey_in_trail('user.pinSet');
CREATE CONSTRAINT TRIGGER counter_pins_end_in_the_trail AFTER DELETE ON counter_pins DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_passkey_in_trail('user.pinRemoved', 'user.factorReset');

-- The person is told when their PIN changes, and when wrong ones have shut it.
ALTER TABLE account_notices DROP CONSTRAINT account_notices_kind_check,
    ADD CONSTRAINT account_notices_kind_check CHECK (kind IN ('newDevice', 'passwordChanged', 'passwordSet', 'passwordReset', 'linkMade',
        'factorAdded', 'factorRemoved', 'recoveryMade', 'factorReset', 'factorResetOf', 'pinSet', 'pinRemoved', 'pinShut'));
