-- +goose Up

-- A report that turned out to be wrong is discarded and stays readable. What only it says
-- counts no longer, and the report that it had superseded stands again.
ALTER TABLE reconciliations
    ADD COLUMN discarded_at   timestamptz, -- null while it counts
    ADD COLUMN discarded_by   text NOT NULL DEFAULT '',
    ADD COLUMN discarded_note text NOT NULL DEFAULT '' CHECK (length(discarded_note) <= 300), -- why
    ADD CHECK ((discarded_at IS NULL) = (discarded_by = '') AND (discarded_at IS NULL) = (discarded_note = ''));

UPDATE database_rights
    SET may = 'SELECT, INSERT, UPDATE (rows, other_day_rows, findings, applied_at, applied_by, discarded_at, discarded_by, discarded_note)'
    WHERE job = 'server' AND thing = 'reconciliations';

CREATE CONSTRAINT TRIGGER reconciliations_are_discarded_in_the_trail AFTER UPDATE ON reconciliations DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN ((OLD.discarded_at, OLD.discarded_by, OLD.discarded_note)
        IS DISTINCT FROM (NEW.discarded_at, NEW.discarded_by, NEW.discarded_note))
    EXECUTE FUNCTION keep_subject_in_trail('', 'report.discarded');

-- Nobody takes that back: the same file is compared again instead.
CREATE TRIGGER reconciliations_stay_discarded BEFORE UPDATE ON reconciliations
    FOR EACH ROW WHEN (OLD.discarded_at IS NOT NULL AND (OLD.discarded_at, OLD.discarded_by, OLD.discarded_note)
        IS DISTINCT FROM (NEW.discarded_at, NEW.discarded_by, NEW.discarded_note))
    EXECUTE FUNCTION refuse_other_answer();
