-- What the application's role may do. It reads and writes its tables, and adds
-- to the trail; it owns nothing, so it can neither alter nor drop, nor disable
-- a trigger. Run again after every migration: new tables need it.
GRANT USAGE ON SCHEMA public TO :role;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO :role;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO :role;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO :role;

-- The trail, what terminals said, and what was sent are never deleted.
REVOKE UPDATE, DELETE, TRUNCATE ON audit_entries FROM :role;
REVOKE DELETE, TRUNCATE ON results, attempts, cancellations, sales, assignments FROM :role;
REVOKE INSERT, UPDATE, DELETE ON goose_db_version FROM :role;
