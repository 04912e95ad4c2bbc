-- +goose Up

-- That a month was put away is said by whoever owns the trail and can put it
-- away. The application may add entries, but not this one: it would be a word
-- for what somebody else deletes.
-- +goose StatementBegin
CREATE FUNCTION refuse_archive_claim() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = 'public.audit_entries'::regclass), 'USAGE') THEN
        RAISE EXCEPTION 'only the owner of the trail puts months away' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- On the parent: months that exist have it from here, those to come when they
-- are attached.
CREATE TRIGGER audit_entries_archive_claim BEFORE INSERT ON audit_entries
    FOR EACH ROW WHEN (NEW.action = 'audit.archived') EXECUTE FUNCTION refuse_archive_claim();
ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER audit_entries_archive_claim;
