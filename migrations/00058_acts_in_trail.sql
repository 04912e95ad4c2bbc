-- +goose Up

-- Whoever had the password of the server's role could make themselves an administrator, sign
-- in as anybody, or let a program in, and leave no entry. Now a transaction that changes who
-- may do what, by which rules, or where results go, is refused at its end unless it has
-- written one of the entries that say so. Who has the rights of the tables' owner is not held
-- to it: they could take the triggers away.

-- +goose StatementBegin
CREATE FUNCTION keep_act_in_trail() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    touched jsonb;
    person  text;   -- whose address the entry has to name
    actor   bigint; -- whose entry it has to be
BEGIN
    IF pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = 'public.audit_entries'::regclass), 'USAGE') THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' THEN
        touched := to_jsonb(OLD);
    ELSE
        touched := to_jsonb(NEW);
    END IF;
    CASE TG_TABLE_NAME
        WHEN 'users' THEN person := touched->>'email';
        WHEN 'user_stores', 'second_factors', 'recovery_codes' THEN person := (SELECT email FROM users WHERE id = (touched->>'user_id')::bigint);
        WHEN 'sessions' THEN actor := (touched->>'user_id')::bigint;
        ELSE NULL;
    END CASE;
    IF NOT EXISTS (
        SELECT FROM audit_entries e
        WHERE e.era = trail_era() AND e.txid = pg_current_xact_id() AND e.action = ANY (TG_ARGV)
          AND (actor IS NULL OR e.actor_id = actor)
          AND (person IS NULL OR person IN (e.after->>'email', e.before->>'email')
               OR person ~ '([0-9][^0-9]*){12}') -- that may be a card's number, which entries mask
    ) THEN
        RAISE EXCEPTION '% of % without its entry in the trail', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- At the end, because the entry says what became of it.
CREATE CONSTRAINT TRIGGER users_are_in_the_trail AFTER INSERT ON users DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('user.created');
CREATE CONSTRAINT TRIGGER users_change_in_the_trail AFTER UPDATE ON users DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN ((OLD.id, OLD.email, OLD.name, OLD.role, OLD.all_stores, OLD.password_hash, OLD.disabled_at, OLD.access_until)
        IS DISTINCT FROM (NEW.id, NEW.email, NEW.name, NEW.role, NEW.all_stores, NEW.password_hash, NEW.disabled_at, NEW.access_until))
    EXECUTE FUNCTION keep_act_in_trail('user.changed', 'user.disabled', 'user.enabled', 'user.passwordReset', 'user.passwordSet');
CREATE CONSTRAINT TRIGGER user_stores_are_in_the_trail AFTER INSERT OR UPDATE OR DELETE ON user_stores DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('user.created', 'user.changed');
CREATE CONSTRAINT TRIGGER second_factors_begin_in_the_trail AFTER UPDATE ON second_factors DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN ((OLD.user_id, OLD.confirmed_at) IS DISTINCT FROM (NEW.user_id, NEW.confirmed_at)
        OR OLD.confirmed_at IS NOT NULL AND OLD.secret <> NEW.secret)
    EXECUTE FUNCTION keep_act_in_trail('user.factorSet');
CREATE CONSTRAINT TRIGGER second_factors_end_in_the_trail AFTER DELETE ON second_factors DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.confirmed_at IS NOT NULL) EXECUTE FUNCTION keep_act_in_trail('user.factorReset');
CREATE CONSTRAINT TRIGGER recovery_codes_are_in_the_trail AFTER INSERT ON recovery_codes DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('user.factorSet');
CREATE CONSTRAINT TRIGGER factor_rules_are_in_the_trail AFTER UPDATE ON factor_rules DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.ask <> NEW.ask) EXECUTE FUNCTION keep_act_in_trail('user.factorRules');
CREATE CONSTRAINT TRIGGER sessions_are_in_the_trail AFTER INSERT OR UPDATE OF user_id, token_hash ON sessions DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('session.started');
CREATE CONSTRAINT TRIGGER api_keys_are_in_the_trail AFTER INSERT OR UPDATE ON api_keys DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('key.created', 'key.rotated', 'key.revoked');
CREATE CONSTRAINT TRIGGER api_key_stores_are_in_the_trail AFTER INSERT ON api_key_stores DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('key.created');
CREATE CONSTRAINT TRIGGER api_secrets_are_in_the_trail AFTER INSERT ON api_secrets DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('key.created', 'key.rotated');
CREATE CONSTRAINT TRIGGER rules_are_in_the_trail AFTER INSERT OR UPDATE ON rules DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('rules.changed', 'rules.takenBack');
CREATE CONSTRAINT TRIGGER pauses_are_in_the_trail AFTER INSERT OR UPDATE ON pauses DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('service.paused', 'service.resumed');
CREATE CONSTRAINT TRIGGER endpoints_are_in_the_trail AFTER INSERT ON endpoints DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('endpoint.created');
CREATE CONSTRAINT TRIGGER endpoints_change_in_the_trail AFTER UPDATE ON endpoints DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN ((OLD.kind, OLD.name, OLD.sealed_url, OLD.sealed_secret, OLD.events, OLD.all_stores, OLD.store_ids, OLD.relay_body)
        IS DISTINCT FROM (NEW.kind, NEW.name, NEW.sealed_url, NEW.sealed_secret, NEW.events, NEW.all_stores, NEW.store_ids, NEW.relay_body))
    EXECUTE FUNCTION keep_act_in_trail('endpoint.changed', 'endpoint.retired', 'endpoint.secretRotated');
