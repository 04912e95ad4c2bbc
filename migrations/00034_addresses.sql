-- +goose Up

-- The terminal at whose own address a result came; '' when it came at the address
-- that all share. It differs from serial_number when the post names another terminal:
-- such a post proves nothing, and is reviewed.
ALTER TABLE results ADD COLUMN address_serial text NOT NULL DEFAULT '';

ALTER TABLE terminals
    -- With which master key the address was made at which the terminal last posted: an
    -- id that says nothing of the key. '' until it posts at an address of its own.
    ADD COLUMN address_key text NOT NULL DEFAULT '',
    -- Posts in its name at the shared address since it last posted at its own.
    ADD COLUMN shared_posts bigint NOT NULL DEFAULT 0;
