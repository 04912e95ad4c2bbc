-- +goose Up

-- Every sale and result asks where its terminal stood at an instant. The index that keeps
-- two assignments from overlapping cannot answer that, so all of them were read each time.
CREATE INDEX assignments_terminal ON assignments (terminal_id, valid_from);
