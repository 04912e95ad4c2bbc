-- +goose Up

-- What happened to a person's account and what they may not have done themselves: a sign-in in
-- a new browser, another password, another factor, a link. They are told on the next page that
-- they see, but in the session in which it was done, until they have said that they know, and
-- by mail where mail is set up.
CREATE TABLE account_notices (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id      bigint NOT NULL REFERENCES users,
    kind         text NOT NULL CHECK (kind IN ('newDevice', 'passwordChanged', 'passwordSet', 'passwordReset', 'linkMade',
        'factorAdded', 'factorRemoved', 'recoveryMade', 'factorReset', 'factorResetOf')),
    at           timestamptz NOT NULL,
    -- From where the person did it, or whoever had what they sign in with. Of what somebody
    -- else did only their name is told, and whose account it was where administrators are told.
    address      text NOT NULL DEFAULT '',
    user_agent   text NOT NULL DEFAULT '',
    by_name      text NOT NULL DEFAULT '',
    of_name      text NOT NULL DEFAULT '',
    session_id   bigint, -- in which it was done, which may have ended; NULL: in none
    dismissed_at timestamptz,
    CHECK (by_name = '' OR address = '' AND user_agent = ''),
    CHECK ((kind = 'factorResetOf') = (of_name <> ''))
);

-- Every page asks whether there is one.
CREATE INDEX account_notices_open ON account_notices (user_id, id DESC) WHERE dismissed_at IS NULL;

ALTER TABLE mails ADD COLUMN account_notice_id bigint REFERENCES account_notices,
    DROP CONSTRAINT mails_about_check,
    ADD CONSTRAINT mails_about_check CHECK (num_nonnulls(alert_id, cancellation_id, account_link_id, account_notice_id) <= 1);

INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT, INSERT, UPDATE (dismissed_at)', 'account_notices');
