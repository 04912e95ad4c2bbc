-- +goose Up

-- An entry is of the time at which it is written: ten minutes are what clocks and a long
-- transaction may differ by, as wherever the trail is verified. The time is the database's
-- own and, in a demo or a test, the offset that its owner has set. The condition spares
-- where sales are real a function call for each entry.
-- +goose StatementBegin
CREATE FUNCTION refuse_other_time() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    shown timestamptz := clock_timestamp() + coalesce((SELECT clock_offset FROM public.installation), interval '0');
BEGIN
    IF NEW.at NOT BETWEEN shown - interval '10 minutes' AND shown + interval '10 minutes' THEN
        RAISE EXCEPTION 'an entry of % is not of the time at which it is written, which is %', NEW.at, shown USING ERRCODE = 'VT001';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

CREATE TRIGGER audit_entries_of_now BEFORE INSERT ON audit_entries FOR EACH ROW
    WHEN (NEW.at NOT BETWEEN clock_timestamp() - interval '10 minutes' AND clock_timestamp() + interval '10 minutes')
    EXECUTE FUNCTION refuse_other_time();
ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER audit_entries_of_now;

-- The first server names what the database is for, and no offset with it.
UPDATE database_rights SET may = 'SELECT, INSERT (kind, marked_at)' WHERE job = 'server' AND thing = 'installation';
INSERT INTO database_rights (job, may, thing) VALUES ('sealer', 'SELECT', 'installation');
