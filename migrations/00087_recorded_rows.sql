-- +goose Up

-- What many rows were when they were recorded together, a line each, so that one hash in an
-- entry binds all of them and a row that was changed can still be named: the sales of a file
-- (number, store, centavos) by its sales.imported, and what terminals posted (number, the first
-- half of the SHA-256 of its body) by the audit.compared of the night after it.
CREATE TABLE recorded_rows (
    of_table text NOT NULL CHECK (of_table IN ('sales', 'results')),
    subject  bigint NOT NULL, -- the import; of results the number of the first
    block    integer NOT NULL,
    lines    text NOT NULL,
    PRIMARY KEY (of_table, subject, block)
);

INSERT INTO database_rights (job, may, thing) VALUES ('server', 'SELECT, INSERT', 'recorded_rows');

CREATE TRIGGER recorded_rows_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON recorded_rows
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE recorded_rows ENABLE ALWAYS TRIGGER recorded_rows_stay;
CREATE CONSTRAINT TRIGGER recorded_rows_are_in_the_trail AFTER INSERT ON recorded_rows DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('', 'sales.imported', 'audit.compared');
