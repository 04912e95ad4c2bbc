-- +goose Up

-- Whether a result came at its terminal's own address, which says who posted it.
ALTER TABLE results ADD COLUMN own_address boolean NOT NULL DEFAULT false;
