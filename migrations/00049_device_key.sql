-- +goose Up

-- The key that signs the cookies by which a device is known that has signed in before.
-- Such a cookie opens nothing; it keeps guesses of others from locking its owner out. The
-- first server makes the key, and all of the database use it.
CREATE TABLE device_key (
    id  integer PRIMARY KEY CHECK (id = 1),
    key bytea NOT NULL CHECK (octet_length(key) = 32)
);

-- The key is made once.
INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT, INSERT', 'device_key');
