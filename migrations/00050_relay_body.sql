-- +goose Up
-- What a relay is sent of a terminal's post: what is stored of it, without card data, or
-- the post as it came, which a second person has to want too. Relays that are there keep
-- what they have; a new one, also of a server of the release before, begins masked.
ALTER TABLE endpoints
    ADD COLUMN relay_body text NOT NULL DEFAULT 'masked'
        CONSTRAINT endpoints_relay_body CHECK (relay_body IN ('masked', 'originalAsked', 'original')),
    -- Who made or last changed it, or asked for the original: whoever confirms that is
    -- somebody else. Unknown of those that are there.
    ADD COLUMN changed_by bigint;
UPDATE endpoints SET relay_body = 'original' WHERE kind = 'relay';
ALTER TABLE endpoints ADD CONSTRAINT endpoints_asked_by_somebody CHECK (relay_body <> 'originalAsked' OR changed_by IS NOT NULL);
