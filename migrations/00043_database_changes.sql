-- +goose Up

-- The databases in which this installation has lived, the last one now. A copy that
-- was restored, a standby that was promoted and a database that was set back do not
-- know what was sent since: what they call requested may have left from the other.
CREATE TABLE database_changes (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    identity   text NOT NULL,                  -- as database_identity() then, without its last part
    cause      text NOT NULL CHECK (cause IN ('first', 'copied', 'promoted', 'behind', 'lost')),
    doubts     integer NOT NULL CHECK (doubts >= 0), -- cancellations that may have left from the other
    stop_id    bigint UNIQUE REFERENCES sealing_stops, -- the checkpoint outside that knows more
    noticed_at timestamptz NOT NULL
);

CREATE TRIGGER database_changes_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON database_changes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE database_changes ENABLE ALWAYS TRIGGER database_changes_kept;

-- database_identity names the database: identifier of the cluster, number of the
-- database in it, timeline of the cluster, and how often it was found to be an older
-- state of itself, which the first three do not show. A part that this PostgreSQL keeps
-- from its roles is '-': some managed ones do. It is the owner's, so that it reads the
-- table whatever the caller may.
-- +goose StatementBegin
CREATE FUNCTION database_identity() RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    cluster  text := '-';
    timeline text := '-';
BEGIN
    BEGIN
        cluster := (SELECT system_identifier FROM pg_control_system());
    EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN NULL;
    END;
    BEGIN
        timeline := CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END;
    EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN NULL;
    END;
    RETURN cluster || '/' || (SELECT oid FROM pg_database WHERE datname = current_database()) || '/' || timeline
        || '/' || (SELECT count(*) FROM public.database_changes WHERE cause IN ('behind', 'lost'));
END $$;

-- commits_wait reports whether a commit of this session waits until a standby has it.
CREATE FUNCTION commits_wait() RETURNS boolean
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT current_setting('synchronous_standby_names') <> ''
        AND current_setting('synchronous_commit') IN ('on', 'remote_write', 'remote_apply')
$$;
-- +goose StatementEnd

-- In which database a cancellation was asked for, and whether that commit waited for a
-- standby. Null for those that had left, or had ended, before this release. The defaults
-- are the database's, so that a server of the release before writes them too.
ALTER TABLE cancellations ADD COLUMN asked_in text, ADD COLUMN asked_waited boolean;
ALTER TABLE cancellations ALTER COLUMN asked_in SET DEFAULT database_identity(),
    ALTER COLUMN asked_waited SET DEFAULT commits_wait();
UPDATE cancellations SET asked_in = database_identity(), asked_waited = commits_wait() WHERE state = 'requested';
