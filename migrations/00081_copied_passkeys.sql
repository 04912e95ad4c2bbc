-- +goose Up

-- A passkey that counts backwards has been copied: somebody else may be its person. It is told
-- to all who oversee, and nobody switches that off.
INSERT INTO alert_rules (kind, active, count, minutes, amount, factor, all_stores, store_ids, emails, language, webhook, quiet_minutes, changed_at, changed_by)
VALUES ('copiedPasskey', true, 0, 0, 0, 0, true, '{}', '{}', 'es-MX', false, 0, '2026-01-01T06:00:00Z', 'Veinte');
ALTER TABLE alert_rules ADD CONSTRAINT alert_rules_copied_passkey_is_told CHECK (kind <> 'copiedPasskey' OR active);
