-- +goose Up

-- Which roles of PostgreSQL do the work of the product. veinte migrate up --app-role and
-- --sealer-role write them here once; every later one grants them what is new.
CREATE TABLE database_roles (
    job  text NOT NULL CHECK (job IN ('server', 'sealer')),
    name text NOT NULL,
    PRIMARY KEY (job, name)
);

-- The role that was granted its rights before there was this table.
INSERT INTO database_roles (job, name)
SELECT DISTINCT 'server', r.rolname
FROM pg_attribute a CROSS JOIN aclexplode(a.attacl) acl JOIN pg_roles r ON r.oid = acl.grantee
    JOIN pg_class c ON c.oid = a.attrelid
WHERE a.attrelid = 'api_secrets'::regclass AND a.attname = 'last_used_at' AND acl.grantee <> c.relowner;

-- What a role may do for its job, by name: nothing is granted on all tables, and nothing
-- by default. A migration that makes a table, a sequence or a function that runs with
-- its owner's rights adds its rows; veinte migrate up takes from the roles whatever is not here
-- and grants what is. An empty right says that nobody gets it.
-- Where no role has the job of the sealer, the server seals.
CREATE TABLE database_rights (
    job   text NOT NULL CHECK (job IN ('server', 'sealer')),
    may   text NOT NULL,
    thing text NOT NULL,
    PRIMARY KEY (job, thing, may)
);

-- A right is granted as it is written, when the migration commits: servers go on serving
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
CREATE CONSTRAINT TRIGGER granted_at_once AFTER INSERT ON database_rights DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION grant_right();

-- An import collects its sales here before they are sales, and takes them out in the same
-- transaction; the server may make no tables of its own. Nothing of it need survive a crash.
CREATE UNLOGGED TABLE import_sales (
    batch_id      bigint NOT NULL,
    store_id      bigint,
    terminal_id   bigint,
    serial_number text NOT NULL,
    merchant_id   text,
    order_id      text NOT NULL,
    amount        bigint,
    currency      text,
    sold_at       timestamptz,
    received_at   timestamptz,
    business_day  date,
    cutoff_at     timestamptz,
    last4         text,
    card_brand    text,
    auth_code     text,
    folio         text,
    source        text,
    recorded_by   text,
    reference     text,
    PRIMARY KEY (batch_id, serial_number, order_id)
);

-- Where a server tries, after the disk was full, whether there is room for a page again.
-- It never has a row.
CREATE TABLE room_left (page text NOT NULL);
ALTER TABLE room_left ALTER page SET STORAGE EXTERNAL;

INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'USAGE', 'SCHEMA public'),
    ('sealer', 'USAGE', 'SCHEMA public'),
    -- Jobs: River's tables.
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'river_job'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'river_leader'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'river_notification'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'river_queue'),
    ('server', 'SELECT', 'river_migration'),
    ('server', 'USAGE', 'SEQUENCE river_job_id_seq'),
    ('server', 'USAGE', 'SEQUENCE river_notification_id_seq'),
    ('server', 'SELECT', 'goose_db_version'),
    ('sealer', 'SELECT', 'goose_db_version'),
    ('sealer', 'SELECT', 'river_migration'),
    -- What the roles may do is the owner's alone.
    ('server', '', 'database_roles'),
    ('server', '', 'database_rights'),
    -- Stores, terminals and people are retired, never deleted.
    ('server', 'SELECT, INSERT, UPDATE', 'stores'),
    ('server', 'SELECT, INSERT, UPDATE', 'terminals'),
    ('server', 'SELECT, INSERT, UPDATE', 'users'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'user_stores'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'sessions'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'login_failures'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'saved_views'),
    ('server', '', 'audit_views'),
    -- Where a terminal stood when is the ground on which its sales stand.
    ('server', 'SELECT, INSERT, UPDATE (store_id, merchant_id, valid_to)', 'assignments'),
    ('server', 'EXECUTE', 'FUNCTION withdraw_plan(bigint, timestamptz)'),
    -- What was sold: identity, day and place stay as they were told. A correction is for
    -- the sales that a trigger lets be corrected.
    ('server', 'SELECT, INSERT, UPDATE (state, told_again, ticket_date, day_unproven, amount, source, recorded_by,
        batch_id, last4, card_brand, auth_code, folio, reference)', 'sales'),
    ('server', 'SELECT, INSERT', 'sale_facts'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'day_totals'),
    ('server', 'SELECT', 'undone_sales'),
    ('server', 'EXECUTE', 'FUNCTION undo_sale(bigint, timestamptz)'),
    ('server', 'EXECUTE', 'FUNCTION undo_sales(bigint, timestamptz)'),
    -- Who asked for what, when and why stays; how it stands moves on.
    ('server', 'SELECT, INSERT, UPDATE (state, version, detail, changed_at, attempts, last_push_at, quiet_until,
        conflict, conflict_at, reviewed_at, asked_at)', 'cancellations'),
    ('server', 'SELECT', 'case_facts'),
    -- What was sent stays; what came back is added.
    ('server', 'SELECT, INSERT, UPDATE (first_byte_at, finished_at, meaning, detail, http_status, code, message,
        duration_ms)', 'attempts'),
    ('server', 'SELECT, INSERT, UPDATE (answered_at, meaning, detail)', 'inquiries'),
    -- What a terminal posted stays; what was made of it is added.
    ('server', 'SELECT, INSERT, UPDATE (status, note, sale_id, cancellation_id, attempt_number, interpreted_at,
        reviewed_at)', 'results'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'ended_doubts'),
    -- Pauses end and rules are followed by others; none of them is forgotten.
    ('server', 'SELECT, INSERT, UPDATE (ended_at, ended_by)', 'pauses'),
    ('server', 'SELECT, INSERT, UPDATE (taken_back_at, taken_back_by)', 'rules'),
    ('server', 'SELECT, INSERT', 'rule_receipts'),
    ('server', 'SELECT, INSERT, UPDATE', 'reasons'),
    -- A key is revoked, never deleted or widened; a secret's hash is never replaced.
    ('server', 'SELECT, INSERT, UPDATE (version, revoked_at, revoked_by)', 'api_keys'),
    ('server', 'SELECT, INSERT', 'api_key_stores'),
    ('server', 'SELECT, INSERT, UPDATE (expires_at, last_used_at, replaced_by)', 'api_secrets'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'api_answers'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'api_refusals'),
    -- An import is history; only what a file held is taken away again.
    ('server', 'SELECT, INSERT, UPDATE', 'imports'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'import_chunks'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'import_remarks'),
    ('server', 'SELECT, INSERT, DELETE', 'import_sales'),
    ('server', 'EXECUTE', 'FUNCTION undo_terminals(bigint)'),
    -- What a report said, and how it was read, stays as it was.
    ('server', 'SELECT, INSERT, UPDATE', 'report_profiles'),
    ('server', 'SELECT, INSERT', 'report_profile_versions'),
    ('server', 'SELECT, INSERT', 'report_rows'),
    ('server', 'SELECT, INSERT', 'report_counts'),
    ('server', 'SELECT, INSERT, UPDATE (settled_at, settled_by, settled, reviewed_at, reviewed_by, note)', 'report_items'),
    ('server', 'SELECT, INSERT, UPDATE (rows, other_day_rows, findings, applied_at, applied_by)', 'reconciliations'),
    -- Endpoints are retired; what was tried is not rewritten, and goes with its delivery.
    ('server', 'SELECT, INSERT, UPDATE', 'endpoints'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'deliveries'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'delivery_lanes'),
    ('server', 'SELECT, INSERT', 'delivery_tries'),
    -- A closing report is frozen; what is raised is marked, never taken away.
    ('server', 'SELECT, INSERT', 'closings'),
    ('server', 'SELECT, INSERT', 'closing_terminals'),
    ('server', 'SELECT, INSERT, UPDATE (last_at, times, told, facts, seen_at, seen_by, note)', 'alerts'),
    ('server', 'SELECT, INSERT', 'alert_repeats'),
    ('server', 'SELECT, UPDATE', 'alert_rules'),
    ('server', 'SELECT, INSERT, UPDATE', 'alert_cursor'),
    ('server', 'SELECT, INSERT, UPDATE (state, detail, answer, tries, due_at, lease, leased_until, finished_at)', 'mails'),
    ('server', 'SELECT, INSERT', 'mail_tries'),
    ('server', 'SELECT, INSERT', 'approvals'),
    ('server', 'SELECT, INSERT', 'oversight_marks'),
    -- The trail is added to. An entry's number and transaction are the database's to give:
    -- whoever could choose them could put entries before others, or in the way of those to come.
    ('server', 'SELECT, INSERT (at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name,
        serial_number, sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason,
        address, user_agent, request_id, canonical)', 'audit_entries'),
    ('server', 'EXECUTE', 'FUNCTION audit_partitions(date)'),
    ('server', 'EXECUTE', 'FUNCTION trail_begin_era()'),
    ('server', 'EXECUTE', 'FUNCTION database_identity()'),
    ('server', 'SELECT', 'sealed_entries'),
    ('server', 'SELECT', 'sealed_nodes'),
    ('server', 'SELECT', 'checkpoints'),
    ('server', 'SELECT', 'sealing_stops'),
    -- Who took what out of the trail is history; only how far it is, and its end, are told later.
    ('server', 'SELECT, INSERT, UPDATE (state, entries, bytes, seen_at, stop_by, ended_at)', 'audit_exports'),
    ('server', 'SELECT, INSERT, UPDATE (state, begun_at, seen_at, ended_at, done, total, result)', 'trail_checks'),
    -- In which databases the installation has lived, and what it is for, is history.
    ('server', 'SELECT, INSERT', 'database_changes'),
    ('server', 'SELECT, INSERT', 'installation'),
    ('server', 'SELECT, INSERT, UPDATE, DELETE', 'server_clocks'),
    ('server', 'INSERT', 'room_left'),
    -- The sealer reads the trail, adds to the tree and to the trail, and nothing else.
    ('sealer', 'SELECT, INSERT (at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name,
        serial_number, sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason,
        address, user_agent, request_id, canonical)', 'audit_entries'),
    ('sealer', 'EXECUTE', 'FUNCTION trail_begin_era()'),
    ('sealer', 'SELECT, INSERT', 'sealed_entries'),
    ('sealer', 'SELECT, INSERT', 'sealed_nodes'),
    ('sealer', 'SELECT, INSERT', 'checkpoints'),
    ('sealer', 'SELECT, INSERT, UPDATE (resumed_at)', 'sealing_stops');

-- A function that runs with its owner's rights is for the roles above, not for every
-- login, and nobody's temporary table stands before what it reads.
REVOKE ALL ON FUNCTION undo_sale(bigint, timestamptz), undo_sales(bigint, timestamptz), keep_case_facts(),
    database_identity() FROM PUBLIC;
ALTER FUNCTION withdraw_plan(bigint, timestamptz) SET search_path = pg_catalog, public, pg_temp;
