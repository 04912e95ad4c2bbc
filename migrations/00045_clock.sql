-- +goose Up

-- How far the clock of a demo or a test is from the database's on purpose; zero where
-- sales are real. Every clock is held against the database's plus this. The owner of the
-- schema sets it; the server's role cannot.
ALTER TABLE installation ADD COLUMN clock_offset interval NOT NULL DEFAULT '0';

-- How far the clocks of the servers are off, so that each can see whether it is the odd
-- one or the database is. A process writes its row every few seconds; a row that is
-- older than half a minute says nothing.
CREATE TABLE server_clocks (
    server   text PRIMARY KEY,     -- drawn by each process when it starts
    ahead_ms bigint NOT NULL,      -- of the database's clock plus the offset; negative: behind
    seen_at  timestamptz NOT NULL  -- by the database's clock
);
