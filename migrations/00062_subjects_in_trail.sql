-- +goose Up

-- As migrations 58 and 60, for the rest that has consequences: whoever had the password of the
-- server's role could still ask for a cancellation, move a terminal to another store, call a
-- verification of the trail intact, take an alert off the list or give somebody a link to set
-- another person's password, and leave no entry.
--
-- A function beside keep_act_in_trail(), because here the trigger says whom the entry has to be
-- about: its first argument is the column by which the row names it, '' where the action is
-- enough. The other arguments are the actions, any if there are none.

-- +goose StatementBegin
CREATE FUNCTION keep_subject_in_trail() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    subject text;
BEGIN
    IF pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = 'public.audit_entries'::regclass), 'USAGE') THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' THEN
        subject := to_jsonb(OLD)->>TG_ARGV[0];
    ELSE
        subject := to_jsonb(NEW)->>TG_ARGV[0];
    END IF;
    CASE TG_ARGV[0]
        WHEN 'user_id' THEN subject := (SELECT email FROM users WHERE id = subject::bigint);
        WHEN 'terminal_id' THEN subject := (SELECT serial_number FROM terminals WHERE id = subject::bigint);
        ELSE NULL;
    END CASE;
    IF NOT EXISTS (
        SELECT FROM audit_entries e
        WHERE e.era = trail_era() AND e.txid = pg_current_xact_id() AND (TG_NARGS = 1 OR e.action = ANY (TG_ARGV[1:]))
          AND CASE
              WHEN TG_ARGV[0] = '' THEN true
              WHEN TG_ARGV[0] = 'user_id' THEN subject IN (e.after->>'email', e.before->>'email')
                  OR subject ~ '([0-9][^0-9]*){12}' -- that may be a card's number, which entries mask
              WHEN TG_ARGV[0] IN ('terminal_id', 'serial_number') THEN e.serial_number = subject
              ELSE e.cancellation_id = subject::bigint
          END
    ) THEN
        RAISE EXCEPTION '% of % without its entry in the trail', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Cancellations.
CREATE CONSTRAINT TRIGGER cancellations_are_in_the_trail AFTER INSERT ON cancellations DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('id');
CREATE CONSTRAINT TRIGGER cancellations_are_reviewed_in_the_trail AFTER UPDATE ON cancellations DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN ((OLD.conflict, OLD.conflict_at, OLD.reviewed_at) IS DISTINCT FROM (NEW.conflict, NEW.conflict_at, NEW.reviewed_at))
    EXECUTE FUNCTION keep_subject_in_trail('id');
CREATE CONSTRAINT TRIGGER attempts_are_in_the_trail AFTER INSERT ON attempts DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('cancellation_id');
CREATE CONSTRAINT TRIGGER inquiries_are_in_the_trail AFTER INSERT ON inquiries DEFERRABLE INITIALLY DEFERRED
    -- What a person or a post asks is an entry of the transaction before.
    FOR EACH ROW WHEN (NEW.try > 0 AND NEW.cancellation_id IS NOT NULL)
    EXECUTE FUNCTION keep_subject_in_trail('', 'inquiry.sent');
CREATE CONSTRAINT TRIGGER approvals_are_in_the_trail AFTER INSERT ON approvals DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('case_id');
CREATE CONSTRAINT TRIGGER results_are_reviewed_in_the_trail AFTER UPDATE OF reviewed_at ON results DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.reviewed_at IS NOT NULL AND OLD.reviewed_at IS DISTINCT FROM NEW.reviewed_at) -- what comes back needs none
    EXECUTE FUNCTION keep_subject_in_trail('', 'review.done');

-- Where terminals stand.
CREATE CONSTRAINT TRIGGER stores_are_in_the_trail AFTER INSERT ON stores DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('', 'store.created');
CREATE CONSTRAINT TRIGGER terminals_are_in_the_trail AFTER INSERT ON terminals DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('serial_number', 'terminal.created');
CREATE CONSTRAINT TRIGGER assignments_are_in_the_trail AFTER INSERT OR UPDATE ON assignments DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail(
        'terminal_id', 'terminal.created', 'terminal.moved', 'terminal.movePlanned', 'terminal.moveWithdrawn', 'terminal.changed');

-- People.
CREATE CONSTRAINT TRIGGER account_links_are_in_the_trail AFTER INSERT ON account_links DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('user_id');
CREATE CONSTRAINT TRIGGER blocked_names_are_in_the_trail AFTER INSERT OR DELETE ON blocked_names DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('user_id', 'user.nameBlocked');
CREATE CONSTRAINT TRIGGER second_factors_are_in_the_trail AFTER INSERT ON second_factors DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.confirmed_at IS NOT NULL) EXECUTE FUNCTION keep_subject_in_trail('user_id', 'user.factorSet');
CREATE CONSTRAINT TRIGGER recovery_codes_stay_used AFTER UPDATE ON recovery_codes DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.used_at IS NOT NULL AND NEW.used_at IS DISTINCT FROM OLD.used_at)
    EXECUTE FUNCTION keep_subject_in_trail('user_id', 'user.factorSet');

-- What people decide, and what is said to them.
CREATE CONSTRAINT TRIGGER rule_receipts_are_in_the_trail AFTER INSERT ON rule_receipts DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('', 'rules.changed');
CREATE CONSTRAINT TRIGGER endpoints_stand_in_the_trail AFTER UPDATE ON endpoints DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.state <> NEW.state)
    EXECUTE FUNCTION keep_subject_in_trail('', 'endpoint.paused', 'endpoint.resumed', 'endpoint.disabled', 'endpoint.retired');
CREATE CONSTRAINT TRIGGER report_profiles_are_in_the_trail AFTER INSERT OR UPDATE ON report_profiles DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('', 'profile.created', 'profile.changed');
CREATE CONSTRAINT TRIGGER report_profile_versions_are_in_the_trail AFTER INSERT ON report_profile_versions DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('', 'profile.created', 'profile.changed');
CREATE CONSTRAINT TRIGGER reconciliations_are_in_the_trail AFTER INSERT ON reconciliations DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('', 'report.uploaded');
CREATE CONSTRAINT TRIGGER reconciliations_are_applied_in_the_trail AFTER UPDATE ON reconciliations DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.applied_at IS DISTINCT FROM NEW.applied_at) EXECUTE FUNCTION keep_subject_in_trail('', 'reconciliation.applied');
CREATE CONSTRAINT TRIGGER report_items_change_in_the_trail AFTER UPDATE ON report_items DEFERRABLE INITIALLY DEFERRED
    -- What is settled moves a cancellation, which is bound.
    FOR EACH ROW WHEN (OLD.reviewed_at IS DISTINCT FROM NEW.reviewed_at) EXECUTE FUNCTION keep_subject_in_trail('', 'difference.reviewed');
CREATE CONSTRAINT TRIGGER imports_move_in_the_trail AFTER UPDATE ON imports DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.state <> NEW.state AND NEW.state IN ('importing', 'imported', 'discarded', 'undone'))
    EXECUTE FUNCTION keep_subject_in_trail(
        '', 'import.confirmed', 'sales.imported', 'terminals.imported', 'import.discarded', 'import.undone');
CREATE CONSTRAINT TRIGGER closings_are_in_the_trail AFTER INSERT ON closings DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('', 'day.closed');
CREATE CONSTRAINT TRIGGER oversight_marks_are_in_the_trail AFTER INSERT ON oversight_marks DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('', 'oversight.reviewed');
CREATE CONSTRAINT TRIGGER alerts_are_attended_in_the_trail AFTER UPDATE ON alerts DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.seen_at IS DISTINCT FROM NEW.seen_at) EXECUTE FUNCTION keep_subject_in_trail('', 'alert.attended');
CREATE CONSTRAINT TRIGGER trail_checks_are_in_the_trail AFTER INSERT ON trail_checks DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('', 'audit.verified');
CREATE CONSTRAINT TRIGGER trail_checks_end_in_the_trail AFTER UPDATE ON trail_checks DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION keep_subject_in_trail('', 'audit.verified');
CREATE CONSTRAINT TRIGGER database_changes_are_in_the_trail AFTER INSERT ON database_changes DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.cause <> 'first') -- which is how every installation begins
    EXECUTE FUNCTION keep_subject_in_trail('', 'database.changed');
