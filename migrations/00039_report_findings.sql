-- +goose Up

-- What was noticed about a report's file beside its lines, as JSON: the fields that the
-- profile read, columns that it did not read, notes on the form of the file, and how
-- many lines held whole card numbers in which columns (never the numbers). Empty for
-- reports that were compared before.
ALTER TABLE reconciliations ADD COLUMN findings jsonb NOT NULL DEFAULT '{}';

-- The amount of our sale when it was compared, in centavos; null where there is none,
-- and for items that were compared before.
ALTER TABLE report_items ADD COLUMN our_amount bigint CHECK (our_amount >= 0);
