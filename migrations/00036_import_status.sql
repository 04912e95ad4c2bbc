-- +goose Up

-- A file of sales may say in a column which of them were declined or canceled. Those
-- rows are not imported, and a word that nobody knows is asked about.
--
-- status_words has the values of such columns, each with the number of its rows,
-- what it means ('' until a person says so) and who said it:
-- [{"column": "status", "word": "Rechazada", "rows": 3, "meaning": "declined", "by": ""}].
-- left_out_count is how many rows are no sales by these words.
--
-- An older server ignores both: it imports every row, as it did.
ALTER TABLE imports
    ADD COLUMN status_words   jsonb   NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(status_words) = 'array'),
    ADD COLUMN left_out_count integer NOT NULL DEFAULT 0 CHECK (left_out_count >= 0);
