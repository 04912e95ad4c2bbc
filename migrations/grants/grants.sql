-- What the application's role may do. It reads and writes its tables, and adds
-- to the trail; it owns nothing, so it can neither alter nor drop, nor disable
-- a trigger. Run again after every migration: new tables need it.
GRANT USAGE ON SCHEMA public TO :role;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO :role;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO :role;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO :role;

-- The trail, what terminals said, and what was sent are never deleted.
-- An entry's number and transaction are the database's to give: whoever could
-- choose them could put entries before others, or in the way of those to come.
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON audit_entries FROM :role;
GRANT INSERT (at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name,
    serial_number, sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason,
    address, user_agent, request_id, canonical) ON audit_entries TO :role;
-- Its months and what makes them are out of reach: it goes through the table
-- above and the functions that were made for it.
REVOKE ALL ON SCHEMA trail FROM :role;
REVOKE ALL ON ALL TABLES IN SCHEMA trail FROM :role;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA trail FROM :role;
-- What is sealed stays sealed.
REVOKE UPDATE, DELETE, TRUNCATE ON sealed_entries, sealed_nodes, checkpoints FROM :role;
REVOKE DELETE, TRUNCATE ON results, attempts, inquiries, cancellations, sales, assignments FROM :role;
-- Pauses end and rules are followed by others; none of them is forgotten.
REVOKE UPDATE, DELETE, TRUNCATE ON pauses FROM :role;
GRANT UPDATE (ended_at, ended_by) ON pauses TO :role;
REVOKE UPDATE, DELETE, TRUNCATE ON rules, rule_receipts FROM :role;
GRANT UPDATE (taken_back_at, taken_back_by) ON rules TO :role;
-- Old cases name their reason.
REVOKE DELETE, TRUNCATE ON reasons FROM :role;
-- A key is revoked, never deleted or widened; a secret's hash is never replaced.
REVOKE UPDATE, DELETE, TRUNCATE ON api_keys, api_key_stores, api_secrets FROM :role;
GRANT UPDATE (version, revoked_at, revoked_by) ON api_keys TO :role;
GRANT UPDATE (expires_at, last_used_at, replaced_by) ON api_secrets TO :role;
REVOKE INSERT, UPDATE, DELETE ON goose_db_version FROM :role;
-- What a report said, and how it was read, stays as it was.
REVOKE UPDATE, DELETE, TRUNCATE ON report_profile_versions, report_rows, report_counts, report_items, reconciliations FROM :role;
GRANT UPDATE (settled_at, settled_by, settled, reviewed_at, reviewed_by, note) ON report_items TO :role;
GRANT UPDATE (rows, other_day_rows, findings, applied_at, applied_by) ON reconciliations TO :role;
REVOKE DELETE, TRUNCATE ON report_profiles FROM :role;
-- Endpoints are retired; what was tried is not rewritten, and goes with its delivery.
REVOKE DELETE, TRUNCATE ON endpoints FROM :role;
REVOKE UPDATE, DELETE, TRUNCATE ON delivery_tries FROM :role;
-- What an undone import had brought is written by the function that undoes it.
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON undone_sales FROM :role;
-- An import is history; only what a file held is taken away again.
REVOKE DELETE, TRUNCATE ON imports FROM :role;
-- A closing report is frozen; what is raised is marked, never taken away.
REVOKE UPDATE, DELETE, TRUNCATE ON closings, closing_terminals FROM :role;
REVOKE UPDATE, DELETE, TRUNCATE ON alerts, alert_repeats, mails, mail_tries FROM :role;
GRANT UPDATE (last_at, times, told, facts, seen_at, seen_by, note) ON alerts TO :role;
GRANT UPDATE (state, detail, answer, tries, due_at, lease, leased_until, finished_at) ON mails TO :role;
REVOKE INSERT, DELETE, TRUNCATE ON alert_rules FROM :role;
REVOKE DELETE, TRUNCATE ON alert_cursor FROM :role;
-- The facts of oversight are kept by the database itself; words and looks stay.
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON case_facts FROM :role;
REVOKE UPDATE, DELETE, TRUNCATE ON approvals, oversight_marks FROM :role;
-- Who took what out of the trail is history; only how far it is, and its end, are told later.
REVOKE UPDATE, DELETE, TRUNCATE ON audit_exports FROM :role;
GRANT UPDATE (state, entries, bytes, seen_at, stop_by, ended_at) ON audit_exports TO :role;
-- What a verification came to stays; only how far it is, and its end, are told later.
REVOKE UPDATE, DELETE, TRUNCATE ON trail_checks FROM :role;
GRANT UPDATE (state, begun_at, seen_at, ended_at, done, total, result) ON trail_checks TO :role;
-- A stop of the sealing ends, and is not forgotten.
REVOKE UPDATE, DELETE, TRUNCATE ON sealing_stops FROM :role;
GRANT UPDATE (resumed_at) ON sealing_stops TO :role;
-- In which databases the installation has lived is history.
REVOKE UPDATE, DELETE, TRUNCATE ON database_changes FROM :role;
-- What the database is for is said once.
REVOKE UPDATE, DELETE, TRUNCATE ON installation FROM :role;
-- What a door said of a sale is history.
REVOKE UPDATE, DELETE, TRUNCATE ON sale_facts FROM :role;
