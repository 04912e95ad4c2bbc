-- +goose Up

-- Beside a directory that cannot be used there is one that holds what this installation did
-- not sign: which file, and how it begins.
ALTER TABLE sealer_troubles DROP CONSTRAINT sealer_troubles_trouble_check;
ALTER TABLE sealer_troubles ADD CONSTRAINT sealer_troubles_trouble_check CHECK (trouble IN ('seal.directory', 'seal.foreign'));
ALTER TABLE sealer_troubles ADD detail text NOT NULL DEFAULT '';
