-- +goose Up

-- A lane that fails while its endpoint takes what others send: since when it
-- does, for people; and until when its receiver asked to be left alone
-- (Retry-After), which no delivery of another lane shortens.
ALTER TABLE delivery_lanes
    ADD COLUMN failing_since timestamptz, -- first failure of its head in a row
    ADD COLUMN not_before    timestamptz;

CREATE INDEX delivery_lanes_failing ON delivery_lanes (endpoint_id, failing_since) WHERE failing_since IS NOT NULL;

-- Keys stand in paths too: of an address no more than its host is shown. Whoever
-- has a form open that shows more is told that it is stale.
UPDATE endpoints SET shown_url = substring(shown_url FROM '^[a-z]+://[^/?]+') ||
        CASE WHEN shown_url ~ '^[a-z]+://[^/?]+/*$' THEN '' ELSE '/…/***' END,
    version = version + 1
WHERE shown_url ~ '^[a-z]+://[^/?]';
