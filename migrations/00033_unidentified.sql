-- +goose Up

-- A post that says "canceled" and does not say who speaks proves nothing. The
-- terminal is asked about the sale, which may have no cancellation here. So an
-- inquiry is about one of two:
ALTER TABLE inquiries ALTER COLUMN cancellation_id DROP NOT NULL; -- a cancellation in doubt
ALTER TABLE inquiries ADD COLUMN sale_id bigint REFERENCES sales; -- a sale of which it was posted that it is canceled
ALTER TABLE inquiries ADD CONSTRAINT inquiries_about_one CHECK (num_nonnulls(cancellation_id, sale_id) = 1);

CREATE INDEX inquiries_sale ON inquiries (sale_id, sent_at) WHERE sale_id IS NOT NULL;

-- The posts that wait for the answer.
CREATE INDEX results_asked ON results (received_at) WHERE status = 'ignored' AND note = 'asked';
