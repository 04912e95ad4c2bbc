-- +goose Up

-- The oldest schema whose servers may use this one. A migration that takes away or renames
-- what such a server still uses raises it, one release after the program stopped using it.
CREATE TABLE serving_schemas (
    one    boolean PRIMARY KEY DEFAULT true CHECK (one),
    oldest bigint NOT NULL CHECK (oldest > 0)
);
INSERT INTO serving_schemas (oldest) VALUES (31);

-- For databases that had applied 00048 before it did this. A right is granted as it is written, when the migration commits: servers go on serving
-- while the next one runs. What is not there yet, such as a table of River's, is granted when
-- all of them are applied.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION grant_right() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    role text;
BEGIN
    FOR role IN SELECT name FROM database_roles JOIN pg_roles ON rolname = name WHERE NEW.may <> '' AND (job = NEW.job
        OR job = 'server' AND NOT EXISTS (SELECT FROM database_roles JOIN pg_roles ON rolname = name WHERE job = NEW.job))
    LOOP
        BEGIN
            EXECUTE format('GRANT %s ON %s TO %I', NEW.may, NEW.thing, role);
        EXCEPTION WHEN undefined_table OR undefined_function OR undefined_object THEN
            NULL;
        END;
    END LOOP;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS granted_at_once ON database_rights;
CREATE CONSTRAINT TRIGGER granted_at_once AFTER INSERT ON database_rights DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION grant_right();

-- What the login lacks of the rights of its job, as database_rights has them: the table that
-- says so is the owner's alone.
-- +goose StatementBegin
CREATE FUNCTION missing_rights() RETURNS SETOF text LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    jobs  text[] := ARRAY(SELECT job FROM database_roles WHERE name = session_user);
    owed  record;
    may   text[];
    names text[];
    what  text;
    has   boolean;
BEGIN
    IF jobs = '{}' THEN
        jobs := ARRAY['server']; -- nobody has named it yet
    END IF;
    IF 'server' = ANY (jobs) AND NOT EXISTS (SELECT FROM database_roles JOIN pg_roles ON rolname = name WHERE job = 'sealer') THEN
        jobs := jobs || 'sealer'::text; -- the server seals
    END IF;
    FOR owed IN SELECT DISTINCT r.may, r.thing FROM database_rights r WHERE r.job = ANY (jobs) AND r.may <> '' ORDER BY 2, 1 LOOP
        what := regexp_replace(owed.thing, '^(TABLE|SCHEMA|SEQUENCE|FUNCTION) ', '');
        FOR may IN SELECT regexp_matches(owed.may, '([A-Z]+)\s*(?:\(([^)]*)\))?', 'g') LOOP
            names := regexp_split_to_array(trim(may[2]), '\s*,\s*');
            has := CASE split_part(owed.thing, ' ', 1)
                WHEN 'SCHEMA' THEN has_schema_privilege(session_user, what, may[1])
                WHEN 'SEQUENCE' THEN has_sequence_privilege(session_user, what, may[1])
                WHEN 'FUNCTION' THEN has_function_privilege(session_user, what, may[1])
                ELSE CASE WHEN may[2] IS NULL THEN has_table_privilege(session_user, what, may[1])
                    ELSE (SELECT bool_and(has_column_privilege(session_user, what, n, may[1])) FROM unnest(names) n) END
            END;
            IF NOT has THEN
                RETURN NEXT may[1] || coalesce(' (' || regexp_replace(may[2], '\s+', ' ', 'g') || ')', '') || ' ON ' || owed.thing;
            END IF;
        END LOOP;
    END LOOP;
END $$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION missing_rights() FROM PUBLIC;

INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT', 'serving_schemas'),
    ('sealer', 'SELECT', 'serving_schemas'),
    ('server', 'EXECUTE', 'FUNCTION missing_rights()'),
    ('sealer', 'EXECUTE', 'FUNCTION missing_rights()');
