-- +goose Up

-- What came back for an attempt, and whether a terminal has answered an inquiry, is evidence:
-- it is written once. An attempt whose process died is closed as interrupted, and its answer
-- may still come.
-- +goose StatementBegin
CREATE FUNCTION refuse_other_answer() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'what came of % % stays', TG_TABLE_NAME, OLD.id USING ERRCODE = 'restrict_violation';
END $$;
-- +goose StatementEnd

CREATE TRIGGER attempts_answer_kept BEFORE UPDATE ON attempts
    FOR EACH ROW WHEN (OLD.meaning <> '' AND OLD.detail <> 'interrupted'
        AND (OLD.first_byte_at, OLD.meaning, OLD.detail, OLD.http_status, OLD.code, OLD.message, OLD.duration_ms)
        IS DISTINCT FROM (NEW.first_byte_at, NEW.meaning, NEW.detail, NEW.http_status, NEW.code, NEW.message, NEW.duration_ms))
    EXECUTE FUNCTION refuse_other_answer();
CREATE TRIGGER inquiries_answer_kept BEFORE UPDATE ON inquiries
    FOR EACH ROW WHEN (OLD.answered_at IS DISTINCT FROM NEW.answered_at AND OLD.answered_at IS NOT NULL
        OR OLD.meaning <> '' AND (OLD.meaning, OLD.detail) IS DISTINCT FROM (NEW.meaning, NEW.detail))
    EXECUTE FUNCTION refuse_other_answer();

-- A link that is over opens nothing again.
CREATE TRIGGER account_links_ended_kept BEFORE UPDATE ON account_links
    FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL
        AND (OLD.mail_hash, OLD.ended_at, OLD.ended_by) IS DISTINCT FROM (NEW.mail_hash, NEW.ended_at, NEW.ended_by))
    EXECUTE FUNCTION refuse_other_answer();

-- How long the secret of a program holds is in the trail (see migration 58), and no session
-- gets a longer life, or another person.
CREATE CONSTRAINT TRIGGER api_secrets_end_in_the_trail AFTER UPDATE OF expires_at, replaced_by ON api_secrets DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_act_in_trail('key.rotated');
UPDATE database_rights SET may = 'SELECT, INSERT, UPDATE (seen_at, proved_at), DELETE' WHERE job = 'server' AND thing = 'sessions';
