-- +goose Up

-- As before this, for what is said of a cancellation and of a sale, and for what people choose
-- from: whoever had the password of the server's role could have pages call a sale canceled,
-- or give a store another name, and leave no entry.

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_act_in_trail() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    touched jsonb;
    person  text;   -- whose address the entry has to name
    actor   bigint; -- whose entry it has to be
    sale    bigint; -- which sale, or cancellation, it has to be about
    request bigint;
BEGIN
    IF pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = 'public.audit_entries'::regclass), 'USAGE') THEN
        RETURN NULL;
    END IF;
    IF TG_TABLE_NAME = 'sales' THEN
        sale := NEW.id;
    ELSIF TG_TABLE_NAME = 'cancellations' THEN
        request := NEW.id;
    ELSE
        IF TG_OP = 'DELETE' THEN
            touched := to_jsonb(OLD);
        ELSE
            touched := to_jsonb(NEW);
        END IF;
        CASE TG_TABLE_NAME
            WHEN 'users' THEN person := touched->>'email';
            WHEN 'user_stores', 'second_factors', 'recovery_codes' THEN
                person := (SELECT email FROM users WHERE id = (touched->>'user_id')::bigint);
            WHEN 'sessions' THEN actor := (touched->>'user_id')::bigint;
            ELSE NULL;
        END CASE;
    END IF;
    IF NOT EXISTS (
        SELECT FROM audit_entries e
        WHERE e.era = trail_era() AND e.txid = pg_current_xact_id() AND (TG_NARGS = 0 OR e.action = ANY (TG_ARGV))
          AND (actor IS NULL OR e.actor_id = actor)
          AND (sale IS NULL OR e.sale_id = sale)
          AND (request IS NULL OR e.cancellation_id = request)
          AND (person IS NULL OR person IN (e.after->>'email', e.before->>'email')
               OR person ~ '([0-9][^0-9]*){12}') -- that may be a card's number, which entries mask
    ) THEN
        RAISE EXCEPTION '% of % without its entry in the trail', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE CONSTRAINT TRIGGER cancellations_move_in_the_trail AFTER UPDATE ON cancellations DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION keep_act_in_trail();
CREATE CONSTRAINT TRIGGER sales_change_in_the_trail AFTER UPDATE ON sales DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.state <> NEW.state OR OLD.amount <> NEW.amount) EXECUTE FUNCTION keep_act_in_trail();
CREATE CONSTRAINT TRIGGER stores_change_in_the_trail AFTER UPDATE ON stores DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN ((OLD.id, OLD.code, OLD.name, OLD.time_zone, OLD.traceability, OLD.bare_traceability)
        IS DISTINCT FROM (NEW.id, NEW.code, NEW.name, NEW.time_zone, NEW.traceability, NEW.bare_traceability))
    EXECUTE FUNCTION keep_act_in_trail('store.changed');
CREATE CONSTRAINT TRIGGER terminals_change_in_the_trail AFTER UPDATE ON terminals DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN ((OLD.id, OLD.serial_number, OLD.label, OLD.retired_at) IS DISTINCT FROM (NEW.id, NEW.serial_number, NEW.label, NEW.retired_at))
    EXECUTE FUNCTION keep_act_in_trail('terminal.changed', 'terminal.retired', 'terminal.restored');
CREATE CONSTRAINT TRIGGER reasons_are_in_the_trail AFTER INSERT OR UPDATE ON reasons DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('reasons.changed');
CREATE CONSTRAINT TRIGGER alert_rules_are_in_the_trail AFTER UPDATE ON alert_rules DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('alert.ruleChanged');
