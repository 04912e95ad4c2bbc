-- +goose Up

-- Whether people are asked again who they are before they settle a doubt, cancel many sales at
-- once, or change rules, keys, endpoints and people. A session that somebody left open, or
-- whose cookie was taken, is not enough for that.
CREATE TABLE proof_rule (
    one   boolean PRIMARY KEY DEFAULT true CHECK (one), -- a single row
    asked boolean NOT NULL
);
INSERT INTO proof_rule (asked) VALUES (true);

INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT, UPDATE (asked)', 'proof_rule');

CREATE CONSTRAINT TRIGGER proof_rule_is_in_the_trail AFTER UPDATE ON proof_rule DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.asked <> NEW.asked) EXECUTE FUNCTION keep_act_in_trail('user.factorRules');
