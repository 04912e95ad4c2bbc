-- +goose Up

-- Doubts that ended, until whoever asked for the cancellation has seen how: they have
-- often left the page of the sale by then. How it ended is in the cancellation's row.
CREATE TABLE ended_doubts (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- another one when it ends otherwise later
    cancellation_id bigint NOT NULL UNIQUE REFERENCES cancellations,
    user_id         bigint NOT NULL, -- the person who asked, and is told
    ended_at        timestamptz NOT NULL
);

-- The cancellation whose doubt ended, in the letter to who asked. A letter without one
-- and without an alert is a test.
ALTER TABLE mails ADD COLUMN cancellation_id bigint REFERENCES cancellations,
    ADD CONSTRAINT mails_about_check CHECK (alert_id IS NULL OR cancellation_id IS NULL);
