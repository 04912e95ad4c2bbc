-- +goose Up

-- Requests that go back with the access of whoever asked for them: a person was disabled,
-- or a key revoked, and an administrator did not keep them. They are written in that
-- transaction, and from its commit on none of them is sent. Each is withdrawn in a
-- transaction of its own, since one moves the cancellations of one sale only, and its row
-- here goes with it.
CREATE TABLE ended_requests (
    cancellation_id bigint PRIMARY KEY REFERENCES cancellations,
    actor           jsonb NOT NULL, -- who ended the access, and withdraws
    ended_at        timestamptz NOT NULL
);

CREATE CONSTRAINT TRIGGER ended_requests_are_in_the_trail AFTER INSERT ON ended_requests DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('user.disabled', 'key.revoked');

INSERT INTO database_rights (job, may, thing) VALUES ('server', 'SELECT, INSERT, DELETE', 'ended_requests');

-- Whoever gets, or gets more of, rights that move money is told to all who oversee. Nobody
-- switches that off.
INSERT INTO alert_rules (kind, active, count, minutes, amount, factor, all_stores, store_ids, emails, language, webhook, quiet_minutes, changed_at, changed_by)
VALUES ('rights', true, 0, 0, 0, 0, true, '{}', '{}', 'es-MX', false, 0, '2026-01-01T06:00:00Z', 'Veinte');

ALTER TABLE alert_rules ADD CONSTRAINT alert_rules_rights_are_told CHECK (kind <> 'rights' OR active);
