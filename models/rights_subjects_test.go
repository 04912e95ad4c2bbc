package models_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"veinte/models"
	"veinte/models/modelstest"
)

// Whoever has the server's password asks for no cancellation, moves no terminal, lets nobody
// in and takes nothing off a list without the entry that says so.
func TestNothingIsDecidedWithoutItsEntry(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	eva := modelstest.User(t, o.DB, o.Clock.Now(), "eva@example.mx", models.Manager, o.Store)
	_, held := o.StateOf(models.Unknown)
	sale, serial := o.Sale(99900), string(o.Terminal.SerialNumber)
	for _, there := range []string{
		fmt.Sprintf(`INSERT INTO recovery_codes VALUES (%d, sha256('old'), now())`, ana.ID),
		`INSERT INTO trail_checks (actor, actor_id, actor_name, started_at, seen_at) VALUES ('{}', 1, 'x', now(), now())`,
		`INSERT INTO rules (set_at, set_by, effective_at, cutoff_minute, margin_s) VALUES (now(), 'x', now(), 1200, 5)`,
		`INSERT INTO report_profiles (name, mapping, created_at) VALUES ('p', '{}', now())`,
		`INSERT INTO imports (kind, state, file_name, file_size, file_hash, notes, row_count, actor, given_by, created_at, changed_at, beat_at)
			VALUES ('sales', 'checked', 'f', 1, sha256('f'), '{}', 1, '{}', 'x', now(), now(), now())`,
		`INSERT INTO endpoints (kind, name, shown_url, sealed_url, sealed_secret, events, all_stores, store_ids, state, state_at, created_at)
			VALUES ('relay', 'e', 'https://x', 'x', 'x', '{}', true, '{}', 'active', now(), now())`,
		`INSERT INTO alerts (kind, cause, subject, raised_at, quiet_until, last_at, facts)
			SELECT min(kind), 'c', 's', now(), now(), now(), '{}' FROM alert_rules`,
		`INSERT INTO results (received_at, address, body, body_hash, kind, serial_number, merchant_id, order_id, folio, last4, card_brand,
			auth_code, standing, response_code, key_hash, status, note)
			VALUES (now(), '', '{}', 'h', 'sale', '', '', '', '', '', '', '', '', '', '', 'unmatched', '')`,
	} {
		modelstest.Exec(t, o.Owner, there)
	}
	entry := func(action, column, value string) string {
		return fmt.Sprintf(`INSERT INTO audit_entries (at, actor_name, actor_role, outcome, canonical, action, %s)
			VALUES (now(), 'x', 'system', 'success', '', '%s', %s)`, column, action, value)
	}
	of := func(action string) string { return entry(action, "reason", "''") }
	about := func(u *models.User, action string) string {
		return entry(action, "after", fmt.Sprintf(`'{"email": "%s"}'`, u.Email))
	}
	stands := func(serial, action string) string { return entry(action, "serial_number", "'"+serial+"'") }
	cased := func(action, id string) string { return entry(action, "cancellation_id", id) }
	bound := bindingsOf(t, o, "keep_subject_in_trail")
	for _, tt := range []struct{ act, another, its string }{
		{
			fmt.Sprintf(`INSERT INTO cancellations (sale_id, store_id, terminal_id, state, omit_receipt, reason, note, origin, requester, click,
				requested_at, cutoff_at, changed_at) SELECT id, store_id, terminal_id, 'requested', false, 'other', '', 'terminal', 'x', 'x',
				now(), cutoff_at, now() FROM sales WHERE id = %d`, sale.ID),
			cased("cancellation.requested", fmt.Sprint(held.ID)), cased("cancellation.requested", "(SELECT max(id) FROM cancellations)"),
		},
		{
			fmt.Sprintf(`UPDATE cancellations SET reviewed_at = now() WHERE id = %d`, held.ID),
			cased("review.done", fmt.Sprint(held.ID+99)), cased("review.done", fmt.Sprint(held.ID)),
		},
		{
			fmt.Sprintf(`INSERT INTO attempts (cancellation_id, number, key_hash, started_at, deadline_at)
				VALUES (%d, 9, repeat('a', 64), now(), now())`, held.ID),
			cased("cancellation.moved", fmt.Sprint(held.ID+99)), cased("cancellation.moved", fmt.Sprint(held.ID)),
		},
		{
			fmt.Sprintf(`INSERT INTO inquiries (cancellation_id, terminal_id, try, key_hash, sent_at)
				VALUES (%d, %d, 9, repeat('b', 64), now())`, held.ID, o.Terminal.ID),
			of("inquiry.answered"), of("inquiry.sent"),
		},
		{
			fmt.Sprintf(`INSERT INTO approvals (case_id, store_id, day, kind, approver, approver_name, approved_at)
				VALUES (%d, %d, '2026-03-10', 'settled', 'u1', 'x', now())`, held.ID, o.Store.ID),
			cased("cancellation.moved", fmt.Sprint(held.ID+99)), cased("cancellation.moved", fmt.Sprint(held.ID)),
		},
		{`UPDATE results SET reviewed_at = now()`, of("result.unmatched"), of("review.done")},
		{
			`INSERT INTO stores (code, name, time_zone, created_at) VALUES ('GHOST', 'G', 'America/Mexico_City', now())`,
			of("store.changed"), of("store.created"),
		},
		{
			`INSERT INTO terminals (serial_number, label, created_at) VALUES ('1499999999', 'G', now())`,
			stands(serial, "terminal.created"), stands("1499999999", "terminal.created"),
		},
		{`UPDATE assignments SET merchant_id = '7654321'`, stands("1499999999", "terminal.changed"), stands(serial, "terminal.changed")},
		{
			fmt.Sprintf(`INSERT INTO assignments (terminal_id, store_id, merchant_id, valid_from) SELECT id, %d, '7654321', now()
				FROM terminals WHERE serial_number = '1499999999'`, o.Store.ID),
			stands(serial, "terminal.moved"), stands("1499999999", "terminal.moved"),
		},
		{
			fmt.Sprintf(`INSERT INTO account_links (user_id, kind, token_hash, created_at, expires_at)
				VALUES (%d, 'reset', sha256('mine'), now(), now() + interval '1 day')`, ana.ID),
			about(eva, "user.linkMade"), about(ana, "user.linkMade"),
		},
		{
			fmt.Sprintf(`INSERT INTO blocked_names VALUES (%d, 'Ana')`, ana.ID),
			about(eva, "user.nameBlocked"), about(ana, "user.nameBlocked"),
		},
		{`DELETE FROM blocked_names`, about(ana, "user.changed"), about(ana, "user.nameBlocked")},
		{
			fmt.Sprintf(`INSERT INTO second_factors VALUES (%d, 'x', now(), now())`, ana.ID),
			about(eva, "user.factorSet"), about(ana, "user.factorSet"),
		},
		{`UPDATE recovery_codes SET used_at = NULL`, about(eva, "user.factorSet"), about(ana, "user.factorSet")},
		{
			`INSERT INTO rule_receipts (rules_id, reason, print) SELECT max(id), 'other', true FROM rules`,
			of("rules.takenBack"), of("rules.changed"),
		},
		{`UPDATE endpoints SET state = 'paused'`, of("endpoint.changed"), of("endpoint.paused")},
		{
			`INSERT INTO report_profiles (name, mapping, created_at) VALUES ('q', '{}', now())`,
			of("rules.changed"), of("profile.created"),
		},
		{`UPDATE report_profiles SET mapping = '{"a": 1}'`, of("rules.changed"), of("profile.changed")},
		{
			`INSERT INTO report_profile_versions SELECT id, 9, 'p', '{}', now(), 'x' FROM report_profiles`,
			of("rules.changed"), of("profile.changed"),
		},
		{
			`INSERT INTO reconciliations (profile_id, profile_version, profile_name, business_day, complete_until, file_name, file_hash,
					file_bytes, rows, other_day_rows, sales_looked_at, uploaded_at, uploaded_by, uploader)
				SELECT profile_id, version, name, '2026-01-01', now(), 'f', repeat('a', 64), 1, 1, 0, true, now(), 1, 'x'
				FROM report_profile_versions`,
			of("report.read"), of("report.uploaded"),
		},
		{
			`UPDATE reconciliations SET applied_at = now(), applied_by = 'x'`,
			of("report.uploaded"), of("reconciliation.applied"),
		},
		{
			`UPDATE reconciliations SET discarded_at = now(), discarded_by = 'x', discarded_note = 'y'`,
			of("reconciliation.applied"), of("report.discarded"),
		},
		{
			`INSERT INTO report_items (reconciliation_id, kind, settles, verdict, why, basis, lines, line_count, serial_number, merchant_id,
				order_id, folio, auth_code, last4, problem, problem_column, problem_value, ours)
				SELECT id, 'unproven', '', '', '', '', '{}', 0, '', '', '', '', '', '', '', '', '', '' FROM reconciliations;
			UPDATE report_items SET reviewed_at = now(), reviewed_by = 'x'`,
			of("report.uploaded"), of("difference.reviewed"),
		},
		{`UPDATE imports SET state = 'importing'`, of("import.given"), of("import.confirmed")},
		{
			`INSERT INTO closings VALUES ('2026-01-01', now(), now(), 1, 1, 'x', sha256('x'))`,
			of("closing.read"), of("day.closed"),
		},
		{
			`INSERT INTO oversight_marks (kind, subject, members, stores, note, marked_at, marked_by, marker)
				VALUES ('person', 's', '{1}', '{1}', 'x', now(), 1, 'x')`,
			of("oversight.read"), of("oversight.reviewed"),
		},
		{`UPDATE alerts SET seen_at = now(), seen_by = 'x', note = ''`, of("alert.read"), of("alert.attended")},
		{
			`UPDATE trail_checks SET state = 'intact', ended_at = now(), result = '{}' WHERE state = 'running'`,
			of("audit.read"), of("audit.verified"),
		},
		{
			`INSERT INTO trail_checks (actor, actor_id, actor_name, started_at, seen_at) VALUES ('{}', 1, 'x', now(), now())`,
			of("audit.read"), of("audit.verified"),
		},
		{
			`INSERT INTO comparisons (at, ended_at, state, compared, not_bound, archived, differences, new_differences, result)
				VALUES (now(), now(), 'intact', 1, 0, 0, 0, 0, '{}')`,
			of("audit.verified"), of("audit.compared"),
		},
		{
			`INSERT INTO recorded_rows SELECT 'results', coalesce(max(subject), 0) + 1, 0, 'x' FROM recorded_rows`,
			of("audit.verified"), of("audit.compared"),
		},
		{
			`INSERT INTO comparison_differences (comparison_id, n, kind, of_table, of_row, field, recorded, found, entry_id, sale_id, store_id)
				SELECT max(id), 0, 'changed', 'sales', '1', 'amount', '1.00', '2.00', 0, 1, 1 FROM comparisons`,
			of("audit.verified"), of("audit.compared"),
		},
		{
			`INSERT INTO database_changes (identity, cause, doubts, noticed_at) VALUES ('x', 'copied', 0, now())`,
			of("server.started"), of("database.changed"),
		},
	} {
		bound.without(tt.act)
		for fact, statements := range map[string]string{
			"without an entry": tt.act, "with another entry": tt.another + "; " + tt.act,
			"made to look at once": tt.act + "; SET CONSTRAINTS ALL IMMEDIATE",
		} {
			_, err := o.DB.SQL().Exec(statements) // one transaction
			if refused := (*pgconn.PgError)(nil); !errors.As(err, &refused) || refused.Code != modelstest.RestrictViolation {
				t.Errorf("%s, %s: %v, want %s", tt.act, fact, err, modelstest.RestrictViolation)
			}
		}
		if _, err := o.DB.SQL().Exec(tt.act + "; " + tt.its); err != nil {
			t.Errorf("%s with its entry: %v", tt.act, err)
		}
	}
	bound.allTried(20)
}

// Nor does a passkey begin, end, count or stop counting without the entry of its person, or
// a PIN become another.
func TestNoPasskeyChangesWithoutItsEntry(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	entry := func(action, email string) string {
		return fmt.Sprintf(`INSERT INTO audit_entries (at, actor_name, actor_role, outcome, canonical, action, after)
			VALUES (now(), 'x', 'system', 'success', '', '%s', '{"email": "%s"}')`, action, email)
	}
	bound := bindingsOf(t, o, "keep_passkey_in_trail")
	for _, tt := range []struct{ act, action string }{
		{
			fmt.Sprintf(`INSERT INTO passkeys (user_id, site, credential_id, handle, public_key, synced, sign_count, name, created_at)
				VALUES (%d, 'x', 'x', sha256('x'), 'x', false, 0, 'x', now())`, ana.ID), "user.passkeyAdded",
		},
		{`UPDATE passkeys SET sign_count = sign_count + 1`, "user.passkeyUsed"},
		{`UPDATE passkeys SET cloned_at = now() WHERE cloned_at IS NULL`, "user.passkeyCloned"},
		{`DELETE FROM passkeys`, "user.passkeyRemoved"},
		{fmt.Sprintf(`INSERT INTO counter_pins (user_id, hash, set_at) VALUES (%d, '$argon2id$', now())`, ana.ID), "user.pinSet"},
		{`UPDATE counter_pins SET hash = hash || 'x'`, "user.pinSet"},
		{`DELETE FROM counter_pins`, "user.pinRemoved"},
	} {
		bound.without(tt.act)
		for fact, statements := range map[string]string{
			"without an entry": tt.act, "with another entry": entry("user.changed", ana.Email) + "; " + tt.act,
			"with the entry of somebody else": entry(tt.action, "eva@example.mx") + "; " + tt.act,
		} {
			_, err := o.DB.SQL().Exec(statements) // one transaction
			if refused := (*pgconn.PgError)(nil); !errors.As(err, &refused) || refused.Code != modelstest.RestrictViolation {
				t.Errorf("%s, %s: %v, want %s", tt.act, fact, err, modelstest.RestrictViolation)
			}
		}
		if _, err := o.DB.SQL().Exec(tt.act + "; " + entry(tt.action, ana.Email)); err != nil {
			t.Errorf("%s with its entry: %v", tt.act, err)
		}
	}
	bound.allTried(3)
}

// bindings are the triggers that bind tables to the trail, by "INSERT INTO table" and the
// like. A test that goes on green without one of them would not see that it is gone.
type bindings struct {
	t       *testing.T
	o       *modelstest.Office
	role    string
	of      map[string][]string // triggers by what fires them
	untried map[string]bool
}

func bindingsOf(t *testing.T, o *modelstest.Office, function string) *bindings {
	t.Helper()
	role := modelstest.Texts(t, o.Owner, `SELECT name FROM database_roles WHERE job = 'server'`)[0]
	b := &bindings{t, o, role, map[string][]string{}, map[string]bool{}}
	// What the role may not do at all needs no binding.
	for _, row := range modelstest.Texts(t, o.Owner, `SELECT event || tgrelid::regclass || ' ' || tgname
		FROM pg_trigger, (VALUES (4, 'INSERT INTO '), (8, 'DELETE FROM '), (16, 'UPDATE ')) events (bit, event)
		WHERE tgfoid = $1::regproc AND tgtype & bit > 0 AND CASE bit
			WHEN 4 THEN has_any_column_privilege($2, tgrelid, 'INSERT')
			WHEN 8 THEN has_table_privilege($2, tgrelid, 'DELETE')
			ELSE tgattr = '' AND has_any_column_privilege($2, tgrelid, 'UPDATE')
				OR EXISTS (SELECT FROM unnest(tgattr) a WHERE has_column_privilege($2, tgrelid, a, 'UPDATE')) END`, function, role) {
		at := strings.LastIndexByte(row, ' ')
		b.of[row[:at]] = append(b.of[row[:at]], row[at+1:])
		b.untried[row] = true
	}
	return b
}

// without does an act with one of its bindings switched off, which nothing else may refuse.
func (b *bindings) without(act string) {
	b.t.Helper()
	for what, triggers := range b.of {
		if !strings.Contains(act+" ", what+" ") {
			continue
		}
		table := what[strings.LastIndexByte(what, ' ')+1:]
		for _, trigger := range triggers {
			if modelstest.InVain(b.t, b.o.Owner, fmt.Sprintf(`ALTER TABLE %s DISABLE TRIGGER %s; SET LOCAL SESSION AUTHORIZATION %q;
				%s; SET CONSTRAINTS ALL IMMEDIATE`, table, trigger, b.role, act)) == "" {
				delete(b.untried, what+" "+trigger)
			}
		}
	}
}

// allTried fails for a binding that no act would have missed, of at least so many kinds.
func (b *bindings) allTried(kinds int) {
	b.t.Helper()
	if len(b.of) < kinds {
		b.t.Errorf("%d kinds of acts are bound, want those of the migrations", len(b.of))
	}
	for _, name := range slices.Sorted(maps.Keys(b.untried)) {
		b.t.Errorf("%s: nothing here would be done if it were gone", name)
	}
}

// Every table that the server's role may write is bound to the trail, or the operator's page
// says why it is not.
func TestEveryRightIsBoundOrExplained(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../web/deploy/security/DATABASE.md")
	if err != nil {
		t.Fatal(err)
	}
	bound, free, _ := strings.Cut(string(page), "## Not bound")
	for _, row := range modelstest.Texts(t, modelstest.NewOffice(t).Owner, `SELECT thing || CASE WHEN EXISTS (
			SELECT FROM pg_trigger WHERE tgrelid = thing::regclass
				AND tgfoid::regproc::text IN ('keep_act_in_trail', 'keep_subject_in_trail', 'keep_passkey_in_trail'))
			THEN ' bound' ELSE '' END
		FROM database_rights WHERE job = 'server' AND thing NOT LIKE '% %' AND may ~ 'INSERT|UPDATE|DELETE' AND thing <> 'test_tasks'
		ORDER BY 1`) {
		table, isBound := strings.CutSuffix(row, " bound")
		where := free
		if isBound {
			where = bound
		}
		if !strings.Contains(where, "`"+table+"`") {
			t.Errorf("%s (bound: %t) is not in its half of DATABASE.md", table, isBound)
		}
	}
}
