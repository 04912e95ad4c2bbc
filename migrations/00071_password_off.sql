-- +goose Up

-- Whether people come in by the provider alone. One account still has its password, for the
-- day on which the provider does not work.
CREATE TABLE sso_rules (
    one          boolean PRIMARY KEY DEFAULT true CHECK (one),
    password_off boolean NOT NULL,
    break_glass  bigint REFERENCES users,
    CHECK (password_off = (break_glass IS NOT NULL))
);
INSERT INTO sso_rules (password_off) VALUES (false);

INSERT INTO database_rights (job, may, thing) VALUES ('server', 'SELECT, UPDATE (password_off, break_glass)', 'sso_rules');

CREATE CONSTRAINT TRIGGER sso_rules_are_in_the_trail AFTER UPDATE ON sso_rules DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('sso.passwordRule');

-- That the account was used is told, and nobody switches that off.
INSERT INTO alert_rules (kind, active, count, minutes, amount, factor, all_stores, store_ids, emails, language, webhook, quiet_minutes, changed_at, changed_by)
VALUES ('breakGlass', true, 0, 0, 0, 0, true, '{}', '{}', 'es-MX', false, 0, '2026-11-24T06:00:00Z', 'Veinte');
ALTER TABLE alert_rules ADD CONSTRAINT alert_rules_break_glass_is_told CHECK (kind <> 'breakGlass' OR active);
