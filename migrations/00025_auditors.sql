-- +goose Up

-- Somebody from outside who reads the trail and changes nothing. Nobody
-- remembers to shut an outsider out, so their access ends by itself; that of
-- others may.
ALTER TABLE users ADD COLUMN access_until date; -- the last day, in Mexico City; NULL: without an end
ALTER TABLE users DROP CONSTRAINT users_role_check;
ALTER TABLE users ADD CONSTRAINT users_role_check CHECK (role IN ('manager', 'supervisor', 'administrator', 'auditor'));
ALTER TABLE users ADD CONSTRAINT users_auditor_ends CHECK (role <> 'auditor' OR access_until IS NOT NULL);
