package models_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"veinte/models"
	"veinte/models/intake"
	"veinte/models/modelstest"
)

// A login of the cluster that is none of ours can call nothing that runs with the
// owner's rights.
func TestAStrangersLoginMayNothing(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for i, statement := range []string{
		`SELECT undo_sales(1, now())`, `SELECT undo_sale(1, now())`, `SELECT undo_terminals(1)`, `SELECT withdraw_plan(1, now())`,
		`SELECT database_identity()`, `SELECT trail_begin_era()`, `SELECT audit_partitions(current_date)`,
		`SELECT * FROM sales`, `SELECT * FROM database_roles`,
	} {
		role := fmt.Sprintf("stranger_%d_%d", o.Store.ID, i)
		login := "CREATE ROLE " + role + " LOGIN; SET LOCAL ROLE " + role + "; "
		if got := modelstest.InVain(t, o.Owner, login+statement); got != modelstest.NoPrivilege {
			t.Errorf("a stranger's %s: SQLSTATE = %q, want %q", statement, got, modelstest.NoPrivilege)
		}
	}
}

// A function that runs with its owner's rights is revoked from everybody, and resolves
// no name in a caller's schema: temporary tables come last.
func TestFunctionsWithTheOwnersRightsAreGuarded(t *testing.T) {
	t.Parallel()
	owner := modelstest.NewOffice(t).Owner
	rows := modelstest.Texts(t, owner, `SELECT p.oid::regprocedure || ': ' ||
			CASE WHEN p.proacl IS NULL OR EXISTS (SELECT FROM aclexplode(p.proacl) WHERE grantee = 0) THEN 'anybody may call it' ELSE '' END ||
			CASE WHEN coalesce(array_to_string(p.proconfig, ' '), '') !~ 'search_path=[^=]*, ?pg_temp( |$)'
				THEN ' its search_path does not end in pg_temp' ELSE '' END
		FROM pg_proc p WHERE p.prosecdef AND p.pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
		ORDER BY 1`)
	if len(rows) < 8 {
		t.Fatalf("%d functions run with their owner's rights: %q; want at least the eight that there are", len(rows), rows)
	}
	for _, row := range rows {
		if !strings.HasSuffix(row, ": ") {
			t.Error(row)
		}
	}
}

// What happened stays as it was told, even for whoever has the server's password.
func TestTheServersRoleCannotRewriteEvidence(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.StateOf(models.Confirmed)
	for _, statement := range []string{
		`UPDATE attempts SET key_hash = repeat('a', 64)`, `UPDATE attempts SET started_at = now()`, `UPDATE attempts SET number = 7`,
		`UPDATE attempts SET deadline_at = now()`, `UPDATE attempts SET cancellation_id = 2`,
		`UPDATE results SET body = '{}'`, `UPDATE results SET received_at = now()`, `UPDATE results SET address = ''`,
		`UPDATE results SET standing = 'canceled'`, `UPDATE results SET amount = 1`, `UPDATE results SET own_address = true`,
		`UPDATE inquiries SET key_hash = repeat('a', 64)`, `UPDATE inquiries SET sent_at = now()`,
		`UPDATE cancellations SET requester = 'x'`, `UPDATE cancellations SET requested_by = 9`,
		`UPDATE cancellations SET requested_at = now()`, `UPDATE cancellations SET reason = 'other'`, `UPDATE cancellations SET note = ''`,
		`UPDATE cancellations SET origin = 'api'`, `UPDATE cancellations SET sale_id = 2`, `UPDATE cancellations SET cutoff_at = now()`,
		`UPDATE cancellations SET asked_in = ''`, `UPDATE cancellations SET moved_txid = '1'`,
		`UPDATE sales SET sold_at = now()`, `UPDATE sales SET business_day = '2020-01-01'`, `UPDATE sales SET cutoff_at = now()`,
		`UPDATE sales SET order_id = 'x'`, `UPDATE sales SET received_at = now()`, `UPDATE sales SET store_id = 2`,
		`UPDATE assignments SET valid_from = '2020-01-01'`, `UPDATE assignments SET terminal_id = 2`,
		`UPDATE sessions SET user_id = 1`, `UPDATE sessions SET expires_at = now() + interval '1 day'`,
		`UPDATE sessions SET token_hash = sha256('x')`,
		`UPDATE recovery_codes SET code_hash = sha256('x')`, `UPDATE account_links SET token_hash = sha256('x')`,
		`UPDATE account_links SET expires_at = now() + interval '9 days'`, `UPDATE api_keys SET scopes = '{}'`,
		`UPDATE api_secrets SET hash = sha256('x')`,
		`UPDATE proposals SET rights_after = '{}'`, `UPDATE proposals SET expires_at = now()`, `DELETE FROM proposals`,
		`DELETE FROM access_helpers`,
		`DELETE FROM users`, `DELETE FROM stores`, `DELETE FROM terminals`,
		`CREATE TEMP TABLE mine (id int)`, `INSERT INTO database_roles VALUES ('server', 'x')`, `SELECT * FROM database_rights`,
	} {
		if got := modelstest.InVain(t, o.DB.SQL(), statement); got != modelstest.NoPrivilege {
			t.Errorf("%s: SQLSTATE = %q, want %q", statement, got, modelstest.NoPrivilege)
		}
	}
}

// Whoever has the server's password is no owner, reads no file of the machine, makes
// nothing and sets no counter back.
func TestTheServersRoleReachesNoFurther(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, statement := range []string{
		`COPY users TO '/tmp/users.csv'`, `COPY users TO PROGRAM 'id'`, `COPY audit_entries FROM STDIN`, `SELECT lo_import('/etc/passwd')`,
		`SELECT pg_read_file('/etc/passwd')`, `SELECT pg_ls_dir('.')`, `SELECT * FROM pg_authid`, `CREATE TABLE mine (id int)`,
		`CREATE SCHEMA mine`, `CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'`, `CREATE PUBLICATION mine`,
		`ALTER TABLE users DISABLE TRIGGER ALL`, `SET session_replication_role = replica`,
		`LOCK TABLE audit_entries IN EXCLUSIVE MODE`, `SELECT setval('sales_id_seq', 1)`, `SELECT nextval('audit_entries_id_seq')`,
		`SELECT pg_stat_reset()`, `SET ROLE postgres`,
		`SELECT lo_creat(1)`, `SELECT lo_create(0)`, `SELECT lo_from_bytea(0, 'x')`,
	} {
		if got := modelstest.InVain(t, o.DB.SQL(), statement); got != modelstest.NoPrivilege {
			t.Errorf("%s: SQLSTATE = %q, want %q", statement, got, modelstest.NoPrivilege)
		}
	}
}

// Whoever has the server's password takes back nothing that the trail does not say: the
// transaction is refused unless it has written the entry.
func TestNothingIsTakenBackWithoutItsEntry(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.Record(t, o, o.Admin, intake.Options{Source: models.SourceImport, BatchID: 5},
		modelstest.GivenSale(o, "A"), modelstest.GivenSale(o, "B"))
	modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, modelstest.GivenSale(o, "C"))
	sale := o.FindSale("C").ID
	stands := o.NewTerminal(modelstest.Store(t, o.DB, o.Clock.Now(), "OPENED"))
	modelstest.Exec(t, o.Owner, `UPDATE terminals SET import_id = 6 WHERE id = $1`, stands.ID)
	if err := modelstest.MoveTo(t, o, 1, modelstest.Store(t, o.DB, o.Clock.Now(), "NEXT"), "2026-11-25T10:00:00"); err != nil {
		t.Fatal(err)
	}
	plan := modelstest.Count(t, o.Owner, `SELECT id FROM assignments WHERE planned_at IS NOT NULL`)
	entry := func(action, columns, values string) string {
		return `INSERT INTO audit_entries (at, actor_name, actor_role, outcome, canonical, action, ` + columns + `)
			VALUES (now(), 'x', 'system', 'success', '', '` + action + `', ` + values + `)`
	}
	for _, tt := range []struct{ undo, another, its string }{
		{
			`SELECT undo_sales(5, now())`, entry("import.undone", "after", `'{"importId": 5, "removed": 1}'`),
			entry("import.undone", "after", `'{"importId": 5, "removed": 2}'`),
		},
		{
			fmt.Sprintf(`SELECT undo_sale(%d, now())`, sale), entry("sale.undone", "sale_id", fmt.Sprint(sale+1)),
			entry("sale.undone", "sale_id", fmt.Sprint(sale)),
		},
		{
			`SELECT undo_terminals(6)`, entry("import.discarded", "after", `'{"importId": 6, "removed": 1}'`),
			entry("import.undone", "after", `'{"importId": 6, "removed": 1}'`),
		},
		{
			fmt.Sprintf(`SELECT withdraw_plan(%d, '2026-11-20')`, plan), entry("terminal.moveWithdrawn", "serial_number", "'0000000000'"),
			entry("terminal.moveWithdrawn", "serial_number", fmt.Sprintf("'%s'", o.Terminal.SerialNumber)),
		},
	} {
		for fact, statements := range map[string]string{
			"without an entry": tt.undo, "with another entry": tt.another + "; " + tt.undo,
			"made to look at once": tt.undo + "; SET CONSTRAINTS ALL IMMEDIATE",
		} {
			_, err := o.DB.SQL().Exec(statements) // one transaction
			if refused := (*pgconn.PgError)(nil); !errors.As(err, &refused) || refused.Code != modelstest.RestrictViolation {
				t.Errorf("%s, %s: %v, want %s", tt.undo, fact, err, modelstest.RestrictViolation)
			}
		}
		modelstest.Exec(t, o.DB.SQL(), tt.its) // of a transaction before
		if _, err := o.DB.SQL().Exec(tt.undo); err == nil {
			t.Errorf("%s after a transaction with its entry: done, want it refused", tt.undo)
		}
		if _, err := o.DB.SQL().Exec(tt.undo + "; " + tt.its); err != nil {
			t.Errorf("%s with its entry: %v", tt.undo, err)
		}
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM undos`); n != 0 {
		t.Errorf("%d rows wait for an entry after their transactions", n)
	}
}

// Whoever has the server's password makes nobody an administrator, signs in as nobody,
// lets no program in and moves no cut-off without the entry that says so.
func TestNobodyGetsRightsWithoutTheirEntry(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	user := func(email string) *models.User {
		return modelstest.User(t, o.DB, o.Clock.Now(), email, models.Manager, o.Store)
	}
	ana, eva := user("ana@example.mx"), user("eva@example.mx")
	modelstest.Store(t, o.DB, o.Clock.Now(), "NEXT")
	modelstest.Store(t, o.DB, o.Clock.Now(), "OPENED")
	modelstest.Exec(t, o.Owner, `INSERT INTO devices (token, created_at, user_agent) VALUES ('d', now(), 'x')`)
	card := user("card@example.mx") // whose address the trail masks
	modelstest.Exec(t, o.Owner, `UPDATE users SET email = '4111111111111111@example.mx' WHERE id = $1`, card.ID)
	of := func(statement string, id int64) string { return fmt.Sprintf(statement, id) }
	entry := func(action, email string, actor int64) string {
		return fmt.Sprintf(`INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, outcome, canonical, action, after)
			VALUES (now(), %d, 'x', 'system', 'success', '', '%s', '{"email": "%s"}')`, actor, action, email)
	}
	about := func(action string, sale int64) string {
		return fmt.Sprintf(`INSERT INTO audit_entries (at, actor_name, actor_role, outcome, canonical, action, sale_id)
			VALUES (now(), 'x', 'system', 'success', '', '%s', %d)`, action, sale)
	}
	sale := o.Sale(125000)
	_, held := o.StateOf(models.Unknown)
	modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, modelstest.GivenSale(o, "T"))
	typed := o.FindSale("T").ID
	const (
		person = `INSERT INTO users (email, name, role, all_stores, password_hash, language, created_at)
			VALUES ('new@example.mx', 'x', 'administrator', true, 'x', '', now())`
		rule = `INSERT INTO rules (set_at, set_by, effective_at, cutoff_minute, margin_s) VALUES (now(), 'x', now(), 1439, 1)`
		key  = `INSERT INTO api_keys (name, scopes, all_stores, per_minute, created_at, created_by)
			VALUES ('k', '{sales:read}', true, 600, now(), 'x')`
		endpoint = `INSERT INTO endpoints (kind, name, shown_url, sealed_url, sealed_secret, events, all_stores, store_ids,
				state, state_at, created_at)
			VALUES ('relay', 'e', 'https://x', 'x', 'x', '{}', true, '{}', 'active', now(), now())`
	)
	session := `INSERT INTO sessions (token_hash, user_id, created_at, expires_at, address, user_agent)
		VALUES (sha256('x'), %d, now(), now() + interval '1 day', '', '')`
	bound := bindingsOf(t, o, "keep_act_in_trail")
	for _, tt := range []struct{ act, another, its string }{
		{person, entry("user.created", eva.Email, 0), entry("user.created", "new@example.mx", 0)},
		{
			of(`UPDATE users SET role = 'administrator', all_stores = true WHERE id = %d`, ana.ID),
			entry("user.changed", eva.Email, 0), entry("user.changed", ana.Email, 0),
		},
		{
			of(`UPDATE users SET password_hash = 'x' WHERE id = %d`, ana.ID),
			entry("user.exported", ana.Email, 0), entry("user.passwordSet", ana.Email, 0),
		},
		{
			of(`UPDATE users SET disabled_at = now() WHERE id = %d`, ana.ID),
			entry("user.changed", eva.Email, 0), entry("user.disabled", ana.Email, 0),
		},
		{
			of(`UPDATE users SET password_hash = 'x' WHERE id = %d`, card.ID),
			entry("user.exported", "x", 0), entry("user.passwordSet", "•••", 0),
		},
		{
			of(`INSERT INTO user_stores SELECT %d, id FROM stores WHERE code = 'NEXT'`, ana.ID),
			entry("user.changed", eva.Email, 0), entry("user.changed", ana.Email, 0),
		},
		{
			of(`UPDATE user_stores SET store_id = (SELECT id FROM stores WHERE code = 'OPENED') WHERE user_id = %d
				AND store_id = (SELECT id FROM stores WHERE code = 'NEXT')`, ana.ID),
			entry("user.changed", eva.Email, 0), entry("user.changed", ana.Email, 0),
		},
		{of(`DELETE FROM user_stores WHERE user_id = %d`, ana.ID), entry("user.changed", eva.Email, 0), entry("user.changed", ana.Email, 0)},
		{of(session, ana.ID), entry("session.started", "", eva.ID), entry("session.started", "", ana.ID)},
		{
			of(`INSERT INTO known_devices SELECT %d, id, true, now(), now(), '' FROM devices WHERE token = 'd'`, ana.ID),
			entry("session.ended", "", ana.ID), entry("session.started", "", ana.ID),
		},
		{
			of(`INSERT INTO counters (token_hash, device_id, store_id, name, made_at, made_by)
				SELECT sha256('x'), d.id, s.id, 'x', now(), %d FROM devices d, stores s WHERE d.token = 'd' LIMIT 1`, ana.ID),
			entry("counter.ended", "", 0), entry("counter.made", "", 0),
		},
		{of(`UPDATE counters SET ended_at = now(), ended_by = %d`, ana.ID), entry("counter.made", "", 0), entry("counter.ended", "", 0)},
		{`UPDATE known_devices SET own = NOT own`, entry("session.ended", "", ana.ID), entry("session.deviceChanged", "", ana.ID)},
		{
			of(`INSERT INTO second_factors VALUES (%d, 'x', now()); UPDATE second_factors SET confirmed_at = now()`, ana.ID),
			entry("user.factorSet", eva.Email, 0), entry("user.factorSet", ana.Email, 0),
		},
		{
			of(`INSERT INTO recovery_codes VALUES (%d, sha256('x'))`, ana.ID),
			entry("user.factorSet", eva.Email, 0), entry("user.factorSet", ana.Email, 0),
		},
		{`DELETE FROM second_factors`, entry("user.factorReset", eva.Email, 0), entry("user.factorReset", ana.Email, 0)},
		{
			of(`INSERT INTO ended_requests (cancellation_id, actor, ended_at) VALUES (%d, '{}', now())`, held.ID),
			entry("user.changed", "", 0), entry("user.disabled", "", 0),
		},
		{`UPDATE factor_rules SET ask = 'always'`, entry("user.changed", "", 0), entry("user.factorRules", "", 0)},
		{`UPDATE proof_rule SET asked = NOT asked`, entry("user.changed", "", 0), entry("user.factorRules", "", 0)},
		{
			`INSERT INTO sso_groups (name, role, all_stores, created_at) VALUES ('todos', 'administrator', true, now())`,
			entry("user.changed", "", 0), entry("sso.groupsChanged", "", 0),
		},
		{`UPDATE sso_groups SET role = 'supervisor'`, entry("user.changed", "", 0), entry("sso.groupsChanged", "", 0)},
		{
			`INSERT INTO sso_group_stores SELECT min(sso_groups.id), min(stores.id) FROM sso_groups, stores`,
			entry("user.changed", "", 0), entry("sso.groupsChanged", "", 0),
		},
		{`DELETE FROM sso_group_stores`, entry("user.changed", "", 0), entry("sso.groupsChanged", "", 0)},
		{`DELETE FROM sso_groups`, entry("user.changed", "", 0), entry("sso.groupsChanged", "", 0)},
		{
			of(`INSERT INTO sso_identities VALUES ('https://login.example.com', 'x', %d, now())`, ana.ID),
			entry("user.changed", ana.Email, 0), entry("user.linked", ana.Email, 0),
		},
		{
			of(`UPDATE sso_rules SET password_off = true, break_glass = %d`, ana.ID),
			entry("sso.groupsChanged", "", 0), entry("sso.passwordRule", "", 0),
		},
		{
			`UPDATE sso_rules SET trust_addresses = NOT trust_addresses`,
			entry("sso.passwordRule", "", 0), entry("sso.addressRule", "", 0),
		},
		{
			of(`INSERT INTO sso_links VALUES (%d, now(), 'x')`, ana.ID),
			entry("user.changed", ana.Email, 0), entry("user.linkAllowed", ana.Email, 0),
		},
		{
			of(`UPDATE sales SET state = 'confirmed' WHERE id = %d`, sale.ID),
			entry("cancellation.moved", "", 0), about("cancellation.moved", sale.ID),
		},
		{of(`UPDATE sales SET amount = 1 WHERE id = %d`, typed), about("sale.corrected", sale.ID), about("sale.corrected", typed)},
		{
			of(`UPDATE cancellations SET state = 'confirmed', version = version + 1, changed_at = now() WHERE id = %d`, held.ID),
			about("cancellation.moved", held.ID), strings.Replace(about("cancellation.moved", held.ID), "sale_id", "cancellation_id", 1),
		},
		{`UPDATE stores SET name = 'Otra'`, entry("store.created", "", 0), entry("store.changed", "", 0)},
		{`UPDATE terminals SET label = 'Otra'`, entry("store.changed", "", 0), entry("terminal.changed", "", 0)},
		{`UPDATE reasons SET position = position + 10`, entry("rules.changed", "", 0), entry("reasons.changed", "", 0)},
		{
			`INSERT INTO reasons (code, label_es, label_en, position) VALUES ('whim', 'Antojo', 'A whim', 99)`,
			entry("rules.changed", "", 0), entry("reasons.changed", "", 0),
		},
		{
			`UPDATE alert_rules SET active = NOT active WHERE kind NOT IN ('rights', 'breakGlass', 'copiedPasskey', 'tables')`,
			entry("rules.changed", "", 0), entry("alert.ruleChanged", "", 0),
		},
		{rule, entry("key.created", "", 0), entry("rules.changed", "", 0)},
		{
			`UPDATE rules SET taken_back_at = effective_at - interval '1 second', taken_back_by = 'x'`,
			entry("key.created", "", 0), entry("rules.takenBack", "", 0),
		},
		{
			`INSERT INTO pauses (reason, paused_at, paused_by) VALUES ('x', now(), 'x')`,
			entry("rules.changed", "", 0), entry("service.paused", "", 0),
		},
		{`UPDATE pauses SET ended_at = now(), ended_by = 'x'`, entry("service.seen", "", 0), entry("service.resumed", "", 0)},
		{key, entry("rules.changed", "", 0), entry("key.created", "", 0)},
		{
			`INSERT INTO api_key_stores SELECT max(k.id), min(s.id) FROM api_keys k, stores s`,
			entry("rules.changed", "", 0), entry("key.created", "", 0),
		},
		{
			`INSERT INTO api_secrets (key_id, hash, prefix, created_at, created_by, expires_at)
				SELECT max(id), sha256('mine'), 'x', now(), 'x', now() + interval '1 day' FROM api_keys`,
			entry("key.revoked", "", 0), entry("key.rotated", "", 0),
		},
		{
			`UPDATE api_secrets SET expires_at = expires_at + interval '9 years'`,
			entry("key.created", "", 0), entry("key.rotated", "", 0),
		},
		{`UPDATE api_keys SET revoked_at = NULL, version = version + 1`, entry("rules.changed", "", 0), entry("key.rotated", "", 0)},
		{`UPDATE api_keys SET withheld = NOT withheld`, entry("key.rotated", "", 0), entry("rights.confirmed", "", 0)},
		{
			of(`INSERT INTO proposals (user_id, name, email, rights_before, rights_after, asked_by, asked_by_name, asked_at, expires_at)
				VALUES (%d, 'x', 'x', '{}', '{}', 1, 'x', now(), now() + interval '7 days')`, ana.ID),
			entry("user.changed", ana.Email, 0), entry("rights.asked", "", 0),
		},
		{
			`UPDATE proposals SET ended_at = now(), ended_by = 'confirmed' WHERE ended_at IS NULL`,
			entry("rights.asked", "", 0), entry("rights.confirmed", "", 0),
		},
		{endpoint, entry("rules.changed", "", 0), entry("endpoint.created", "", 0)},
		{`UPDATE endpoints SET sealed_url = 'y'`, entry("endpoint.paused", "", 0), entry("endpoint.changed", "", 0)},
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
	for _, free := range []string{
		of(`UPDATE users SET language = 'en' WHERE id = %d`, ana.ID), `UPDATE sessions SET seen_at = now()`,
		`UPDATE api_secrets SET last_used_at = now()`, `UPDATE endpoints SET delivered_at = now()`,
	} {
		if _, err := o.DB.SQL().Exec(free); err != nil {
			t.Errorf("%s, which nobody needs an entry for: %v", free, err)
		}
	}
	bound.allTried(20)
}

// Every table, sequence and function with its owner's rights has a row that says who may
// do what, and no right comes from elsewhere. A migration that makes one of them adds
// its rows to database_rights.
func TestRightsAreGrantedByName(t *testing.T) {
	t.Parallel()
	owner := modelstest.NewOffice(t).Owner
	for fact, query := range map[string]string{
		"is named in no row of database_rights": `SELECT c.relname FROM pg_class c
			WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
				AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'i')
				AND NOT EXISTS (SELECT FROM database_rights WHERE thing IN (c.relname, 'SEQUENCE ' || c.relname))
			UNION ALL SELECT p.oid::regprocedure::text FROM pg_proc p
			WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef AND p.prorettype <> 'trigger'::regtype
				AND NOT EXISTS (SELECT FROM database_rights WHERE thing LIKE 'FUNCTION %'
					AND substr(thing, 10)::regprocedure = p.oid)`,
		"is granted by default": `SELECT defaclobjtype::text FROM pg_default_acl`,
		"may be used by every login": `SELECT c.relname FROM pg_class c CROSS JOIN aclexplode(c.relacl) a
			WHERE c.relnamespace IN ('public'::regnamespace, 'trail'::regnamespace) AND a.grantee = 0`,
	} {
		for _, thing := range modelstest.Texts(t, owner, query) {
			t.Errorf("%s %s", thing, fact)
		}
	}
}

// An import collects its sales in a table like that of sales.
func TestWhatAnImportCollectsIsASale(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	const columns = `SELECT attname || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = '%s'::regclass AND attnum > 0 AND NOT attisdropped %s ORDER BY 1`
	staged := modelstest.Texts(t, o.Owner, fmt.Sprintf(columns, "import_sales", ""))
	sales := modelstest.Texts(t, o.Owner, fmt.Sprintf(columns, "sales",
		"AND attname NOT IN ('id', 'state', 'told_again', 'day_unproven', 'ticket_date', 'changed_era', 'changed_txid')"))
	if strings.Join(staged, "\n") != strings.Join(sales, "\n") {
		t.Errorf("import_sales has the columns\n%q, sales\n%q", staged, sales)
	}
}
