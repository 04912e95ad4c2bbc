-- +goose Up

-- What we asked a terminal to post again, and when. An inquiry is a push like a
-- cancellation's: until it is answered it occupies the terminal for a while. And
-- "still charged" settles a doubt only when it answers a question that was put
-- after the terminal could no longer act: an older answer, posted again, does not.
CREATE TABLE inquiries (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cancellation_id bigint NOT NULL REFERENCES cancellations,
    terminal_id     bigint NOT NULL REFERENCES terminals,
    try             integer NOT NULL,  -- of those sent by itself; 0 when a person asked
    key_hash        text NOT NULL UNIQUE CHECK (key_hash ~ '^[0-9a-f]{64}$'),
    sent_at         timestamptz NOT NULL,
    answered_at     timestamptz,       -- when the terminal posted the state
    meaning         text NOT NULL DEFAULT '' CHECK (meaning IN ('', 'notSent', 'accepted', 'refused', 'unknown')),
    detail          text NOT NULL DEFAULT ''
);

CREATE INDEX inquiries_case ON inquiries (cancellation_id, sent_at);
CREATE INDEX inquiries_unanswered ON inquiries (terminal_id, sent_at) WHERE answered_at IS NULL;
