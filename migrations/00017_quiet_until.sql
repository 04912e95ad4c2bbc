-- +goose Up

-- Until when the terminal may still act on a case's last push, by the longest
-- quiet time that was in force since it left: rules that shorten the quiet time
-- take nothing off a screen. Cases pushed before this column know only the
-- present rules.
ALTER TABLE cancellations ADD COLUMN quiet_until timestamptz;
ALTER TABLE cancellations ADD CONSTRAINT cancellations_quiet_after_push
    CHECK (quiet_until IS NULL OR last_push_at IS NOT NULL AND quiet_until >= last_push_at);
