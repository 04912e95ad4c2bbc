-- +goose Up

-- The merchant's own object in what is sent to the service: a template of the store,
-- filled in for each cancellation, as the text of a JSON object without white space.
-- '' is none. bare_traceability sends the document's bare form, {}: nothing of the
-- merchant's and no attempt id, so that results of that store match without one.
ALTER TABLE stores
    ADD COLUMN traceability      text NOT NULL DEFAULT '' CHECK (octet_length(traceability) <= 2000),
    ADD COLUMN bare_traceability boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT stores_bare_without_template CHECK (NOT bare_traceability OR traceability = '');

-- The object that a program gave with its request for a cancellation; '' is none. It
-- goes over the store's template.
ALTER TABLE cancellations
    ADD COLUMN traceability text NOT NULL DEFAULT '' CHECK (octet_length(traceability) <= 2000);
