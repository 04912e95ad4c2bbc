-- +goose Up

-- A store is a place with people. It has a time zone because its people read
-- its own clock beside that of Mexico City, which rules the cut-off.
CREATE TABLE stores (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code       text NOT NULL UNIQUE CHECK (code ~ '^[A-Z0-9][A-Z0-9-]{0,19}$'),
    name       text NOT NULL CHECK (name <> '' AND length(name) <= 80),
    time_zone  text NOT NULL CHECK (time_zone <> ''),
    version    integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL
);

-- A card terminal. Ten digits are printed on its back and the service accepts
-- nothing else.
CREATE TABLE terminals (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    serial_number    text NOT NULL UNIQUE CHECK (serial_number ~ '^[0-9]{10}$'),
    label            text NOT NULL CHECK (label <> '' AND length(label) <= 60),
    version          integer NOT NULL DEFAULT 1,
    retired_at       timestamptz,
    -- When a result last came from it, and what the service last said of it:
    -- the sheet shows both before somebody relies on the terminal.
    last_result_at   timestamptz,
    last_answer_at   timestamptz,
    last_answer      text NOT NULL DEFAULT '',
    created_at       timestamptz NOT NULL
);

-- Which terminal stood where, under which merchant id, and when. A sale keeps
-- the assignment of its time, so a move never rewrites the past.
CREATE TABLE assignments (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    terminal_id bigint NOT NULL REFERENCES terminals,
    store_id    bigint NOT NULL REFERENCES stores,
    merchant_id text NOT NULL CHECK (merchant_id ~ '^[A-Za-z0-9._-]{1,40}$'),
    valid_from  timestamptz NOT NULL,
    valid_to    timestamptz,
    CHECK (valid_to IS NULL OR valid_to > valid_from),
    -- A terminal stands in one store at a time. The id is written as a range of
    -- one so that plain GiST can hold it without an extension.
    CONSTRAINT assignments_no_overlap EXCLUDE USING gist (
        int8range(terminal_id, terminal_id, '[]') WITH &&,
        tstzrange(valid_from, valid_to) WITH &&
    )
);

CREATE INDEX assignments_store ON assignments (store_id, valid_from);
