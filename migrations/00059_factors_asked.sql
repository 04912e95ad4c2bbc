-- +goose Up

-- From their next sign-in on, people who settle doubts, administer and audit are asked for
-- a second step, and managers on a device that does not know them. Nobody is shut out: who
-- has no app sets it up then, and an administrator may change the rule.
UPDATE factor_rules SET ask = CASE role WHEN 'manager' THEN 'newDevice' ELSE 'always' END WHERE ask = 'never';
