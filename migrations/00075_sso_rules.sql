-- +goose Up

-- Whether people come in by the provider of the single sign-on alone. One account may still
-- come in without it, for the day on which the provider does not work. And whether an
-- address is believed of which the provider does not say that it has verified it.
CREATE TABLE sso_rules (
    one             boolean PRIMARY KEY DEFAULT true CHECK (one),
    password_off    boolean NOT NULL DEFAULT false,
    break_glass     bigint REFERENCES users,
    trust_addresses boolean NOT NULL DEFAULT false,
    CHECK (password_off = (break_glass IS NOT NULL))
);
INSERT INTO sso_rules DEFAULT VALUES;

INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT, UPDATE (password_off, break_glass, trust_addresses)', 'sso_rules');

CREATE CONSTRAINT TRIGGER sso_rules_are_in_the_trail AFTER UPDATE OF password_off, break_glass ON sso_rules
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('sso.passwordRule');
CREATE CONSTRAINT TRIGGER sso_trust_is_in_the_trail AFTER UPDATE OF trust_addresses ON sso_rules
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('sso.addressRule');

-- Each use of that account is told, and nobody switches that off.
INSERT INTO alert_rules (kind, active, count, minutes, amount, factor, all_stores, store_ids, emails, language, webhook, quiet_minutes, changed_at, changed_by)
VALUES ('breakGlass', true, 0, 0, 0, 0, true, '{}', '{}', 'es-MX', false, 0, '2026-01-01T06:00:00Z', 'Veinte');
ALTER TABLE alert_rules ADD CONSTRAINT alert_rules_break_glass_is_told CHECK (kind <> 'breakGlass' OR active);
