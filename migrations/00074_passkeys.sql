-- +goose Up

-- A person's passkeys: their second step, or password and second step in one. Only the
-- public half is here; the secret one never leaves the person's device.
CREATE TABLE passkeys (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id       bigint NOT NULL REFERENCES users,
    site          text NOT NULL CHECK (site <> ''), -- the name of the host: a key of one opens no other
    -- By which the device knows the key and its person.
    credential_id bytea NOT NULL UNIQUE CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
    handle        bytea NOT NULL CHECK (octet_length(handle) = 32),
    public_key    bytea NOT NULL,
    synced        boolean NOT NULL, -- its person's other devices may have it too
    -- How often it has signed. Some devices do not count, and say 0.
    sign_count    bigint NOT NULL CHECK (sign_count BETWEEN 0 AND 4294967295),
    name          text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    created_at    timestamptz NOT NULL,
    used_at       timestamptz,
    cloned_at     timestamptz -- since when it is refused, because two devices seem to have it
);
CREATE INDEX passkeys_of ON passkeys (user_id);

-- What was signed with a passkey and so proves nothing a second time. What the browser is
-- given to sign carries our signature and its time, so that only what was used is stored.
CREATE TABLE passkey_challenges (
    hash       bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenges_expiry ON passkey_challenges (expires_at);

-- The app that somebody sets up in their account, or puts in the place of the one in use,
-- until its first code is right. What a sign-in sets up is another, so that whoever knows a
-- password alone never sees it. It is shown in the session that has proved who is there, and
-- in no other of the person.
ALTER TABLE second_factors ADD COLUMN next_secret bytea, ADD COLUMN next_at timestamptz, ADD COLUMN next_session bigint,
    ADD CONSTRAINT second_factors_next CHECK (num_nulls(next_secret, next_at, next_session) IN (0, 3));

INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT, INSERT, UPDATE (sign_count, used_at, cloned_at), DELETE', 'passkeys'),
    ('server', 'SELECT, INSERT, DELETE', 'passkey_challenges');

-- As keep_act_in_trail of migration 58, for passkeys. And a counter never goes back, so that
-- a copy of a key that was found stays found.
-- +goose StatementBegin
CREATE FUNCTION keep_passkey_in_trail() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    person text;
BEGIN
    IF pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = 'public.audit_entries'::regclass), 'USAGE') THEN
        RETURN NULL;
    END IF;
    SELECT email INTO person FROM users WHERE id = CASE TG_OP WHEN 'DELETE' THEN OLD.user_id ELSE NEW.user_id END;
    IF NOT EXISTS (
        SELECT FROM audit_entries e
        WHERE e.era = trail_era() AND e.txid = pg_current_xact_id() AND e.action = ANY (TG_ARGV)
          AND (person IN (e.after->>'email', e.before->>'email')
               OR person ~ '([0-9][^0-9]*){12}') -- that may be a card's number, which entries mask
    ) THEN
        RAISE EXCEPTION '% of % without its entry in the trail', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION keep_passkey_count() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'the count of a passkey never goes back, and a copied one stays refused' USING ERRCODE = 'restrict_violation';
END $$;
-- +goose StatementEnd

CREATE TRIGGER passkeys_count_up BEFORE UPDATE ON passkeys
    FOR EACH ROW WHEN (NEW.sign_count < OLD.sign_count OR OLD.cloned_at IS NOT NULL AND NEW.cloned_at IS DISTINCT FROM OLD.cloned_at)
    EXECUTE FUNCTION keep_passkey_count();
CREATE CONSTRAINT TRIGGER passkeys_begin_in_the_trail AFTER INSERT ON passkeys DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_passkey_in_trail('user.passkeyAdded');
CREATE CONSTRAINT TRIGGER passkeys_end_in_the_trail AFTER DELETE ON passkeys DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_passkey_in_trail('user.passkeyRemoved', 'user.factorReset');
CREATE CONSTRAINT TRIGGER passkeys_are_used_in_the_trail AFTER UPDATE ON passkeys DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_passkey_in_trail('user.passkeyUsed', 'user.passkeyCloned');

DROP TRIGGER recovery_codes_are_in_the_trail ON recovery_codes;
CREATE CONSTRAINT TRIGGER recovery_codes_are_in_the_trail AFTER INSERT ON recovery_codes DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('user.factorSet', 'user.passkeyAdded', 'user.recoveryMade');
DROP TRIGGER second_factors_end_in_the_trail ON second_factors;
CREATE CONSTRAINT TRIGGER second_factors_end_in_the_trail AFTER DELETE ON second_factors DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.confirmed_at IS NOT NULL) EXECUTE FUNCTION keep_act_in_trail('user.factorReset', 'user.factorRemoved');
