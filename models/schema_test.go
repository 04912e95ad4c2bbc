package models_test

import (
	"database/sql"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

// serializationFailure is PostgreSQL's code for a transaction that has to begin anew.
const serializationFailure = "40001"

func TestTheDatabaseRefuses(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t) // terminal 1 of store 1
	sale, c := o.StateOf(models.Confirmed)
	if sale.ID != 1 || c.ID != 1 || o.Terminal.ID != 1 || o.Store.ID != 1 {
		t.Fatalf("ids = sale %d, case %d, terminal %d, store %d, want 1 each", sale.ID, c.ID, o.Terminal.ID, o.Store.ID)
	}
	o.NewTerminal(o.Store)
	open := o.Request(o.Sale(200)) // sale 2, cancellation 2
	o.Dispatch(open.ID)
	o.Sale(300) // sale 3
	const newCase = `INSERT INTO cancellations (sale_id, store_id, terminal_id, state, omit_receipt, reason, note, origin,
			requested_by, requester, click, requested_at, cutoff_at, changed_at)
		VALUES `
	const newSale = `INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency,
			sold_at, received_at, business_day, cutoff_at, last4, card_brand, auth_code, folio)
		VALUES `
	const newKey = `INSERT INTO users (email, name, role, all_stores, password_hash, language, created_at)
			VALUES ('key@example.mx', 'x', 'administrator', true, 'x', '', now());
		INSERT INTO passkeys (user_id, site, credential_id, handle, public_key, synced, sign_count, name, created_at, cloned_at)
		SELECT id, 'x', 'x', sha256('x'), 'x', false, 5, 'x', now(), now() FROM users WHERE email = 'key@example.mx'; `
	const newCounter = `INSERT INTO users (email, name, role, all_stores, password_hash, language, created_at)
			VALUES ('counter@example.mx', 'x', 'administrator', true, 'x', '', now());
		INSERT INTO devices (token, created_at, user_agent) VALUES ('counter', now(), 'x');
		INSERT INTO counters (token_hash, device_id, store_id, name, made_at, made_by)
		SELECT sha256('x'), d.id, 1, 'x', now(), u.id FROM devices d, users u WHERE d.token = 'counter' AND u.email = 'counter@example.mx'; `
	const ask = `INSERT INTO proposals (user_id, name, email, rights_before, rights_after, asked_by, asked_by_name, asked_at, expires_at)
		SELECT max(id), 'P', 'p@example.mx', '{}', '{}', 1, 'A', now(), now() + interval '7 days' FROM users; `
	const proposed = `INSERT INTO users (email, name, role, all_stores, password_hash, language, created_at)
		VALUES ('p@example.mx', 'P', 'administrator', true, 'x', '', now()); ` + ask
	tests := []struct{ fact, statement, want string }{
		{"the count of a passkey that goes back", newKey + `UPDATE passkeys SET sign_count = 4`, modelstest.RestrictViolation},
		{"a copied passkey that is accepted again", newKey + `UPDATE passkeys SET cloned_at = NULL`, modelstest.RestrictViolation},
		{"but a count that goes on will do", newKey + `UPDATE passkeys SET sign_count = 6, used_at = now()`, ""},
		{"two passkeys with one id", newKey + `INSERT INTO passkeys (user_id, site, credential_id, handle, public_key, synced, sign_count,
			name, created_at) SELECT user_id, 'y', 'x', handle, 'x', false, 0, 'x', now() FROM passkeys`, modelstest.UniqueViolation},
		{"an app that is set up in no session", newKey + `INSERT INTO second_factors (user_id, secret, created_at, next_secret, next_at)
			SELECT user_id, 'x', now(), 'x', now() FROM passkeys`, modelstest.CheckViolation},
		{"a device that is two counters at once", newCounter + `INSERT INTO counters (token_hash, device_id, store_id, name, made_at, made_by)
			SELECT sha256('y'), device_id, store_id, name, made_at, made_by FROM counters`, modelstest.UniqueViolation},
		{"but one after the other will do", newCounter + `UPDATE counters SET ended_at = now(), ended_by = made_by;
			INSERT INTO counters (token_hash, device_id, store_id, name, made_at, made_by)
			SELECT sha256('y'), device_id, store_id, name, made_at, made_by FROM counters`, ""},
		{"a counter that nobody has ended", newCounter + `UPDATE counters SET ended_at = now()`, modelstest.CheckViolation},
		{"a PIN that is no hash", newCounter + `INSERT INTO counter_pins (user_id, hash, set_at) SELECT made_by, '240613', now()
			FROM counters`, modelstest.CheckViolation},
		{"a terminal in two stores at once", `INSERT INTO assignments (terminal_id, store_id, merchant_id, valid_from)
			VALUES (1, 1, 'M', '2030-01-01')`, modelstest.ExclusionViolation},
		{"an assignment inside another", `INSERT INTO assignments (terminal_id, store_id, merchant_id, valid_from, valid_to)
			VALUES (1, 1, 'M', '2027-01-01', '2027-01-02')`, modelstest.ExclusionViolation},
		{"but before the other will do", `INSERT INTO assignments (terminal_id, store_id, merchant_id, valid_from, valid_to)
			VALUES (1, 1, 'M', '2020-01-01', '2020-01-02')`, ""},
		{"an assignment that ends before it begins", `INSERT INTO assignments (terminal_id, store_id, merchant_id, valid_from, valid_to)
			VALUES (1, 1, 'M', '2020-01-02', '2020-01-01')`, modelstest.CheckViolation},
		{"an assignment planned after it began", `INSERT INTO assignments
			(terminal_id, store_id, merchant_id, valid_from, valid_to, planned_at)
			VALUES (1, 1, 'M', '2020-01-01', '2020-01-02', '2020-01-03')`, modelstest.CheckViolation},
		{"an assignment of another terminal", `UPDATE assignments SET terminal_id = 2, valid_from = '2020-01-01', valid_to = '2020-01-02'
			WHERE terminal_id = 1;
			SET CONSTRAINTS ALL IMMEDIATE`, modelstest.RestrictViolation},
		{"an end before a sale", `UPDATE assignments SET valid_to = valid_from + interval '1 second' WHERE terminal_id = 1;
			SET CONSTRAINTS ALL IMMEDIATE`, modelstest.RestrictViolation},
		{"another store below the sales of an assignment", `INSERT INTO stores (code, name, time_zone, created_at)
			VALUES ('ELSE', 'E', 'UTC', now());
			UPDATE assignments SET store_id = (SELECT id FROM stores WHERE code = 'ELSE') WHERE terminal_id = 1;
			SET CONSTRAINTS ALL IMMEDIATE`, modelstest.RestrictViolation},
		{"but where it sold nothing will do", `UPDATE assignments SET valid_to = valid_from + interval '1 second' WHERE terminal_id = 2;
			SET CONSTRAINTS ALL IMMEDIATE`, ""},
		{"an assignment withdrawn that is no plan", `SELECT withdraw_plan(1, '2020-01-01')`, modelstest.RestrictViolation},
		{"a move by a transaction that is older than that of the last one", `UPDATE cancellations SET moved_txid = '9000000000000000000';
			UPDATE cancellations SET state = 'unknown' WHERE id = 2`, serializationFailure},
		{
			"nor by one of an earlier era", `UPDATE cancellations SET moved_era = 9; UPDATE cancellations SET state = 'unknown' WHERE id = 2`,
			serializationFailure,
		},
		{"but in a new era numbers begin anew", `UPDATE cancellations SET moved_era = 0, moved_txid = '9000000000000000000';
			UPDATE cancellations SET state = 'unknown' WHERE id = 2`, ""},
		{"two open cases of one sale", newCase +
			`(2, 1, 1, 'requested', false, 'other', 'n', 'person', 7, 'x', 'k', now(), now(), now())`, modelstest.UniqueViolation},
		{"two pushes on one terminal", newCase +
			`(3, 1, 1, 'accepted', false, 'other', 'n', 'person', 7, 'x', 'k', now(), now(), now())`, modelstest.UniqueViolation},
		{"but on two terminals will do", newCase + `(3, 1, 2, 'accepted', false, 'other', 'n', 'person', 7, 'x', 'k', now(), now(), now())`, ""},
		{"one click twice", newCase +
			`(3, 1, 2, 'requested', false, 'other', 'n', 'person', 7, 'x', 'k', now(), now(), now()),
			(1, 1, 2, 'rejected', false, 'other', 'n', 'person', 7, 'x', 'k', now(), now(), now())`, modelstest.UniqueViolation},
		{"a person's case without a person", newCase +
			`(3, 1, 2, 'requested', false, 'other', 'n', 'person', NULL, 'x', 'k', now(), now(), now())`, modelstest.CheckViolation},
		{"a quiet time that ends before its push", `UPDATE cancellations SET last_push_at = now(), quiet_until = now() - interval '1 second'
			WHERE id = 2`, modelstest.CheckViolation},
		{"a quiet time of no push", `UPDATE cancellations SET last_push_at = NULL, quiet_until = now() WHERE id = 2`, modelstest.CheckViolation},
		{"a state that is none", `UPDATE cancellations SET state = 'done' WHERE id = 2`, modelstest.CheckViolation},
		{"a reason that is none", `UPDATE cancellations SET reason = 'because' WHERE id = 2`, modelstest.ForeignKey},
		{"a confirmed sale that is not canceled after all", `UPDATE sales SET state = 'cancelable' WHERE id = 1`, modelstest.RestrictViolation},
		{"a confirmed case that is not after all", `UPDATE cancellations SET state = 'unknown' WHERE id = 1`, modelstest.RestrictViolation},
		{"a terminal's sale that was reported again", `UPDATE sales SET told_again = true WHERE id = 3`, modelstest.CheckViolation},
		{"another amount", `UPDATE sales SET amount = amount - 1 WHERE id = 3`, modelstest.RestrictViolation},
		{"another order number", `UPDATE sales SET order_id = 'x' WHERE id = 3`, modelstest.RestrictViolation},
		{"another store", `UPDATE sales SET store_id = 2 WHERE id = 3`, modelstest.RestrictViolation},
		{"another day", `UPDATE sales SET business_day = business_day + 1 WHERE id = 3`, modelstest.RestrictViolation},
		{"a negative amount", newSale +
			`(1, 1, '0123456789', 'M', 'x', -1, 'MXN', now(), now(), now(), now(), '', '', '', '')`, modelstest.CheckViolation},
		{"an amount of nothing", newSale +
			`(1, 1, '0123456789', 'M', 'x', 0, 'MXN', now(), now(), now(), now(), '', '', '', '')`, modelstest.CheckViolation},
		{"a serial number of nine digits", newSale +
			`(1, 1, '012345678', 'M', 'x', 1, 'MXN', now(), now(), now(), now(), '', '', '', '')`, modelstest.CheckViolation},
		{"a whole card number", newSale +
			`(1, 1, '0123456789', 'M', 'x', 1, 'MXN', now(), now(), now(), now(), '4242424242424242', '', '', '')`, modelstest.CheckViolation},
		{"one order twice", newSale +
			`(1, 1, '0123456789', 'M', 'x', 1, 'MXN', now(), now(), now(), now(), '', '', '', ''),
			(1, 1, '0123456789', 'M', 'x', 1, 'MXN', now(), now(), now(), now(), '', '', '', '')`, modelstest.UniqueViolation},
		{"an attempt number twice", `INSERT INTO attempts (cancellation_id, number, key_hash, started_at, deadline_at)
			VALUES (1, 1, repeat('a', 64), now(), now())`, modelstest.UniqueViolation},
		{"an attempt id that is no hash", `INSERT INTO attempts (cancellation_id, number, key_hash, started_at, deadline_at)
			VALUES (1, 9, 'secret', now(), now())`, modelstest.CheckViolation},
		{
			"a template in a store that sends the bare form", `UPDATE stores SET traceability = '{"a":1}', bare_traceability = true`,
			modelstest.CheckViolation,
		},
		{"a template of more than 2,000 bytes", `UPDATE stores SET traceability = repeat('ñ', 1001)`, modelstest.CheckViolation},
		{
			"a program's object of more than 2,000 bytes", `UPDATE cancellations SET traceability = repeat('x', 2001)`,
			modelstest.CheckViolation,
		},
		{"a manager who sees every store", `INSERT INTO users (email, name, role, all_stores, password_hash, language, created_at)
			VALUES ('a@b', 'A', 'manager', true, '', '', now())`, modelstest.CheckViolation},
		{"an address in capitals", `INSERT INTO users (email, name, role, all_stores, password_hash, language, created_at)
			VALUES ('A@b', 'A', 'supervisor', true, '', '', now())`, modelstest.CheckViolation},
		{"a report that settles by a weak match", `INSERT INTO report_items (reconciliation_id, kind, settles, verdict, why, basis,
				lines, line_count, serial_number, merchant_id, order_id, folio, auth_code, last4,
				problem, problem_column, problem_value, sale_id, ours)
			VALUES (1, 'canceled', 'confirmed', 'canceled', '', 'folio',
				'{}', 1, '', '', '', '', '', '',
				'', '', '', 1, '')`, modelstest.CheckViolation},
		{"a whole card number in a report", `INSERT INTO report_rows (reconciliation_id, number, meaning, serial_number,
				merchant_id, order_id, folio, auth_code, last4, problem, problem_column, problem_value)
			VALUES (1, 1, 'sale', '', '', '', '', '', '4242424242424242', '', '', '')`, modelstest.CheckViolation},
		{
			"another answer of the service than it gave", `UPDATE attempts SET meaning = 'refused', detail = 'notFound' WHERE cancellation_id = 2`,
			modelstest.RestrictViolation,
		},
		{
			"another time of its first byte", `UPDATE attempts SET first_byte_at = now() - interval '1 day' WHERE cancellation_id = 2`,
			modelstest.RestrictViolation,
		},
		{"but the answer of an attempt that was interrupted will do", `INSERT INTO attempts (cancellation_id, number, key_hash, started_at,
				deadline_at, meaning, detail) VALUES (2, 2, repeat('e', 64), now(), now(), 'unknown', 'interrupted');
			UPDATE attempts SET meaning = 'accepted', detail = '' WHERE number = 2`, ""},
		{"an inquiry that was answered and then not", `INSERT INTO inquiries (cancellation_id, terminal_id, try, key_hash, sent_at, answered_at)
			VALUES (2, 1, 0, repeat('e', 64), now(), now()); UPDATE inquiries SET answered_at = NULL`, modelstest.RestrictViolation},
		{"an inquiry that the service answered otherwise", `INSERT INTO inquiries (cancellation_id, terminal_id, try, key_hash, sent_at, meaning)
			VALUES (2, 1, 0, repeat('e', 64), now(), 'accepted'); UPDATE inquiries SET meaning = 'refused'`, modelstest.RestrictViolation},
		{"a link that was used and can be used again", `INSERT INTO users (email, name, role, all_stores, password_hash, language, created_at)
				VALUES ('l@example.mx', 'L', 'administrator', true, 'x', '', now());
			INSERT INTO account_links (user_id, kind, token_hash, created_at, expires_at, ended_at, ended_by)
				SELECT max(id), 'reset', sha256('l'), now(), now(), now(), 'use' FROM users;
			UPDATE account_links SET ended_at = NULL, ended_by = ''`, modelstest.RestrictViolation},
		{
			"a notice that says where somebody else was", `INSERT INTO users (email, name, role, all_stores, password_hash, language, created_at)
				VALUES ('n@example.mx', 'N', 'administrator', true, 'x', '', now());
			INSERT INTO account_notices (user_id, kind, at, by_name, address) SELECT max(id), 'linkMade', now(), 'D', '192.0.2.1' FROM users`,
			modelstest.CheckViolation,
		},
		{"a notice of nobody's factor", `INSERT INTO users (email, name, role, all_stores, password_hash, language, created_at)
				VALUES ('n@example.mx', 'N', 'administrator', true, 'x', '', now());
			INSERT INTO account_notices (user_id, kind, at) SELECT max(id), 'factorResetOf', now() FROM users`, modelstest.CheckViolation},
		{"a notice of rights for nobody", `INSERT INTO users (email, name, role, all_stores, password_hash, language, created_at)
				VALUES ('n@example.mx', 'N', 'administrator', true, 'x', '', now());
			INSERT INTO account_notices (user_id, kind, at) SELECT max(id), 'rightsAsked', now() FROM users`, modelstest.CheckViolation},
		{"rights that were refused and wait again", proposed + `UPDATE proposals SET ended_at = now(), ended_by = 'refused';
			UPDATE proposals SET ended_at = NULL, ended_by = ''`, modelstest.RestrictViolation},
		{"rights of nobody", strings.ReplaceAll(ask, "max(id)", "NULL::bigint"), modelstest.CheckViolation},
		{"two at a time for one person", proposed + ask, modelstest.UniqueViolation},
		{"an inquiry about nothing", `INSERT INTO inquiries (terminal_id, try, key_hash, sent_at)
			VALUES (1, 1, repeat('a', 64), now())`, modelstest.CheckViolation},
		{"an inquiry about a sale and a cancellation", `INSERT INTO inquiries (cancellation_id, sale_id, terminal_id, try, key_hash, sent_at)
			VALUES (1, 1, 1, 1, repeat('a', 64), now())`, modelstest.CheckViolation},
		{"a database that is another one for no known cause", `INSERT INTO database_changes (identity, cause, doubts, noticed_at)
			VALUES ('7/1/00000001', 'stolen', 0, now())`, modelstest.CheckViolation},
		{"fewer doubts than none", `INSERT INTO database_changes (identity, cause, doubts, noticed_at)
			VALUES ('7/1/00000001', 'copied', -1, now())`, modelstest.CheckViolation},
		{"an entry by nobody", `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical)
			VALUES (now(), '', 'system', 'a.b', 'success', '')`, modelstest.CheckViolation},
	}
	// As the owner: the server's role is refused most of it for want of a right.
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			if got := modelstest.InVain(t, o.Owner, tt.statement); got != tt.want {
				t.Errorf("%s\nSQLSTATE = %q, want %q", tt.statement, got, tt.want)
			}
		})
	}
}

func TestNobodyRewritesTheTrail(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	app := o.DB.SQL()
	tests := []struct {
		fact, statement string
		db              *sql.DB
	}{
		{"the application cannot update", `UPDATE audit_entries SET reason = ''`, app},
		{"the application forgets no other database", `DELETE FROM database_changes`, app},
		{"and gives it no other cause", `UPDATE database_changes SET cause = 'first'`, app},
		{"nor does the owner", `DELETE FROM database_changes`, o.Owner},
		{"the application cannot delete", `DELETE FROM audit_entries`, app},
		{"the application cannot truncate", `TRUNCATE audit_entries`, app},
		{"the application cannot disable the trigger", `ALTER TABLE audit_entries DISABLE TRIGGER ALL`, app},
		{"the application cannot alter the table", `ALTER TABLE audit_entries ALTER canonical DROP NOT NULL`, app},
		{"the application cannot drop the table", `DROP TABLE audit_entries`, app},
		{"the application cannot drop the trigger", `DROP TRIGGER audit_entries_append_only ON audit_entries`, app},
		{"the application cannot replace the function", `CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger
			LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`, app},
		{"the application cannot lock others out", `LOCK TABLE audit_entries IN ACCESS EXCLUSIVE MODE`, app},
		{"the application cannot skip triggers", `SET session_replication_role = replica`, app},
		{"the application cannot become the owner", `SET ROLE postgres`, app},
		{"the application cannot make tables", `CREATE TABLE audit_entries_2 (id int)`, app},
		{"the application cannot number an entry", `INSERT INTO audit_entries
			(id, at, actor_name, actor_role, action, outcome, canonical) OVERRIDING SYSTEM VALUE
			VALUES (9000, now(), 'x', 'system', 'a.b', 'success', '')`, app},
		{"the application cannot date an entry's transaction", `INSERT INTO audit_entries
			(txid, at, actor_name, actor_role, action, outcome, canonical)
			VALUES ('1', now(), 'x', 'system', 'a.b', 'success', '')`, app},
		{"the application cannot delete inquiries", `DELETE FROM inquiries`, app},
		{"the application cannot delete results", `DELETE FROM results`, app},
		{"the application cannot delete what a report said", `DELETE FROM report_rows`, app},
		{"the application cannot judge a report otherwise", `UPDATE report_items SET kind = 'same'`, app},
		{"the application cannot rewrite a profile's version", `UPDATE report_profile_versions SET mapping = '{}'`, app},
		{"the application cannot delete attempts", `DELETE FROM attempts`, app},
		{"the application cannot delete cases", `DELETE FROM cancellations`, app},
		{"the application cannot delete sales", `DELETE FROM sales`, app},
		{"the application cannot delete assignments", `DELETE FROM assignments`, app},
		{"the application cannot truncate sales", `TRUNCATE sales CASCADE`, app},
		{"the application cannot pretend to be migrated", `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, true)`, app},
		{"the owner cannot update", `UPDATE audit_entries SET reason = ''`, o.Owner},
		{"the owner cannot update nothing", `UPDATE audit_entries SET reason = '' WHERE false`, o.Owner},
		{"the owner cannot delete", `DELETE FROM audit_entries`, o.Owner},
		{"the owner cannot truncate", `TRUNCATE audit_entries`, o.Owner},
		{"the owner cannot update as a replica", `SET LOCAL session_replication_role = replica; UPDATE audit_entries SET reason = ''`, o.Owner},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			if got := modelstest.InVain(t, tt.db, tt.statement); got != modelstest.NoPrivilege {
				t.Errorf("%s: SQLSTATE = %q, want %q", tt.statement, got, modelstest.NoPrivilege)
			}
		})
	}
}
