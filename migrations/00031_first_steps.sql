-- +goose Up

-- When a person put the first steps away. It is kept with the person, so that
-- they stay away in every browser.
ALTER TABLE users ADD COLUMN first_steps_hidden_at timestamptz;
