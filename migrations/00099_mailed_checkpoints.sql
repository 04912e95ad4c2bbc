-- +goose Up

-- Who has the checkpoint of each day mailed, an hour after the cut-off: a copy of it that
-- nobody here can change any more.
ALTER TABLE users ADD COLUMN mails_checkpoint boolean NOT NULL DEFAULT false;

ALTER TABLE mails ADD COLUMN checkpoint_day date,
    DROP CONSTRAINT mails_about_check,
    ADD CONSTRAINT mails_about_check CHECK (num_nonnulls(alert_id, cancellation_id, account_link_id, account_notice_id, checkpoint_day) <= 1);
